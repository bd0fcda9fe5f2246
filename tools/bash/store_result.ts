import { HubError } from '../../hub/base/error.js';
import { withSpokenText } from '../../hub/base/node_blocks.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { keep, type Outcome } from '../base/outcome.js';
import type { HubLink, ToolParts } from '../base/parts.js';
import type { Spool } from '../process/spool.js';
import type { Begun, End, RecordFile } from './command_records.js';
import { blocksForModel } from './text_for_model.js';

export const VERSION = '1.0.0';

/** Of a command, in the metadata of its handle. */
const COMMAND_CHARACTERS_MAX = 4_000;

export interface Ran {
  begun: Begun;
  end: End;
  spool: Spool;
}

/** Keeps what a command came to, and forgets its record when that is done or never can be. */
export async function keepAndForget(
  parts: ToolParts & { mayKeep(): Promise<boolean> },
  record: RecordFile,
  ran: Ran,
): Promise<ToolAnswer> {
  let isDone = false;
  try {
    record.ended(ran.end);
    if (!(await parts.mayKeep())) throw hubGone(ran.begun);
    const answer = await keepCommand(parts.hub, ran);
    isDone = true;
    return answer;
  } catch (error) {
    isDone = !ran.begun.append || !mayWorkLater(error);
    if (isDone) parts.log('warn', `what the command ${ran.begun.id} came to cannot be kept: ${String(error)}`);
    throw error;
  } finally {
    if (isDone) record.remove();
    else record.leave();
  }
}

function hubGone({ id }: Begun): HubError {
  return new HubError('unreachable', `the hub has ended while the command ${id.slice(0, 8)} ran`, {
    hint: 'its node is appended when the next one starts',
    retryable: true,
  });
}

/** Stores what a command came to. Whatever the disk has no room for, its node is appended all the same. */
export async function keepCommand(hub: HubLink, ran: Ran): Promise<ToolAnswer> {
  const outcome = outcomeOf(ran);
  try {
    return await keep(hub, ran.begun, outcome);
  } catch (error) {
    const isFull = error instanceof HubError && (error.kind === 'disk_full' || error.kind === 'limit');
    if (!isFull || outcome.output === null) throw error;
    const note = `(the output is not stored: ${error.message})`;
    const withNote = (text: string): string => `${text}${text.endsWith('\n') ? '' : '\n'}${note}`;
    const blocks = outcome.blocks.map((block) => withSpokenText(block, withNote));
    // What could not be stored makes room for the node that says so.
    ran.spool.discard();
    return keep(hub, ran.begun, { ...outcome, output: null, blocks });
  }
}

/** Failures after which the same may be tried again at the next start; after the others it never will succeed. */
export function mayWorkLater(error: unknown): boolean {
  if (!(error instanceof HubError)) return true;
  return (
    error.retryable || ['disk_full', 'storage_failed', 'unreachable', 'cancelled', 'internal'].includes(error.kind)
  );
}

function outcomeOf({ begun, end, spool }: Ran): Outcome {
  const { id, session, command, sandbox, network } = begun;
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
    blocks: blocksForModel(begun, end, spool),
    ...{ exit_code, signal, duration_ms, cwd },
  };
}

/** The whole command stands in the call: a node has no room for it twice. */
function shortened(command: string): string {
  return command.length <= COMMAND_CHARACTERS_MAX ? command : `${command.slice(0, COMMAND_CHARACTERS_MAX)}…`;
}
