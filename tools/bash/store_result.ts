import { HubError } from '../../hub/base/error.js';
import { withSpokenText } from '../../hub/base/node_blocks.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { type Outcome, storeOutcome } from '../base/outcome.js';
import type { HubLink, ToolParts } from '../base/tool_parts.js';
import type { Spool } from '../process/spool.js';
import type { CommandEnd, CommandStart, RecordFile } from './command_records.js';
import { blocksForModel } from './text_for_model.js';

export const VERSION = '1.0.0';

/** The most characters of a command in the metadata of its handle. */
const COMMAND_CHARACTERS_MAX = 4_000;

export interface CommandResult {
  start: CommandStart;
  end: CommandEnd;
  spool: Spool;
}

/** Stores the result of a command, and removes its record when that succeeded or never can. */
export async function storeAndForget(
  parts: ToolParts & { mayKeep(): Promise<boolean> },
  record: RecordFile,
  result: CommandResult,
): Promise<ToolAnswer> {
  let isDone = false;
  try {
    record.ended(result.end);
    if (!(await parts.mayKeep())) throw hubGone(result.start);
    const answer = await storeCommand(parts.hub, result);
    isDone = true;
    return answer;
  } catch (error) {
    isDone = !result.start.append || !mayStoreLater(error);
    if (isDone) parts.log('warn', `what the command ${result.start.id} came to cannot be kept: ${String(error)}`);
    throw error;
  } finally {
    if (isDone) record.remove();
    else record.leave();
  }
}

function hubGone({ id }: CommandStart): HubError {
  return new HubError('unreachable', `the hub has ended while the command ${id.slice(0, 8)} ran`, {
    hint: 'its node is appended when the next one starts',
    retryable: true,
  });
}

/** Stores the result of a command. Its node is appended even when the disk has no room for its output. */
export async function storeCommand(hub: HubLink, result: CommandResult): Promise<ToolAnswer> {
  const outcome = outcomeOf(result);
  try {
    return await storeOutcome(hub, result.start, outcome);
  } catch (error) {
    // The same bytes were just purged with another conversation.
    if (error instanceof HubError && error.kind === 'not_found' && error.retryable)
      return storeOutcome(hub, result.start, outcomeOf(result));
    const isFull = error instanceof HubError && (error.kind === 'disk_full' || error.kind === 'limit');
    if (!isFull || outcome.output === null) throw error;
    const note = `(the output is not stored: ${error.message})`;
    const withNote = (text: string): string => `${text}${text.endsWith('\n') ? '' : '\n'}${note}`;
    const blocks = outcome.blocks.map((block) => withSpokenText(block, withNote));
    // Discarding the output makes room for the node.
    result.spool.discard();
    return storeOutcome(hub, result.start, { ...outcome, output: null, blocks });
  }
}

/** Whether the next start may succeed after this failure. */
export function mayStoreLater(error: unknown): boolean {
  if (!(error instanceof HubError)) return true;
  return (
    error.retryable || ['disk_full', 'storage_failed', 'unreachable', 'cancelled', 'internal'].includes(error.kind)
  );
}

function outcomeOf({ start, end, spool }: CommandResult): Outcome {
  const { id, session, command, sandbox, network } = start;
  const { exit_code, signal, duration_ms, cwd, reason, background_ended } = end;
  const { stdout, stderr } = spool.channelBytes();
  const head = spool.headBytes();
  const metadata = {
    ...{
      command: shortened(command),
      exit_code,
      signal,
      reason,
      stdout_bytes: stdout,
      stderr_bytes: stderr,
      sandbox,
      network,
    },
    ...(head === null ? {} : { head_bytes: head }),
    ...(background_ended === 0 ? {} : { background_ended }),
  };
  return {
    tool: 'bash',
    input: { command },
    handle: { source: 'bash', source_version: VERSION, identifier: `${session}/cmd-${id}`, metadata },
    output: spool.totalBytes() === 0 ? null : { pieces: spool.pieces(), totalBytes: spool.totalBytes() },
    blocks: blocksForModel(start, end, spool),
    ...{ exit_code, signal, duration_ms, cwd },
  };
}

/** The call holds the whole command: a node has no room for it twice. */
function shortened(command: string): string {
  return command.length <= COMMAND_CHARACTERS_MAX ? command : `${command.slice(0, COMMAND_CHARACTERS_MAX)}…`;
}
