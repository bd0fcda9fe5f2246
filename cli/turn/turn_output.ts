import { textOf } from '../../hub/base/node_blocks.js';
import { userHome } from '../../hub/config/config.js';
import type { AgentEvent, TurnOutcome } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import type { BlockChange } from '../display/block.js';
import { createDisplay } from '../display/display.js';
import { jsonText } from '../output/json_text.js';
import { callLine } from '../render/node/call_line.js';
import { cleanLine } from '../render/text/clean.js';
import { formatNumber, shortId } from '../render/text/ids_and_counts.js';
import { answerText } from './answer_text.js';
import { replacedLine } from './replaced_line.js';
import { unreadInstructions } from './unread_instructions.js';

const LINE_LENGTH_MAX = 200;

/** Shows the events of a turn. */
export interface TurnOutput {
  take(event: AgentEvent): Promise<void>;
  /** Shows the rest, after the last event. */
  end(outcome: TurnOutcome | null): Promise<void>;
  /** From now on output that cannot be written at once is dropped. */
  hurry(): void;
}

/** Each event as one line of JSON. */
export function jsonLines(context: Context): TurnOutput {
  return {
    take: (event) => context.out.write(`${jsonText(event)}\n`),
    end: async () => undefined,
    hurry: () => undefined,
  };
}

/** The outcome as JSON, and nothing else. */
export function jsonOutcome(context: Context): TurnOutput {
  return {
    take: async (event) => noteTranscript(context, event),
    end: async (outcome) => {
      if (outcome !== null) await context.printJson(outcome);
    },
    hurry: () => undefined,
  };
}

/** The answer on stdout once it is whole, and nothing else. */
export function answerOnly(context: Context): TurnOutput {
  const answer = answerText(context, false);
  return {
    take: async (event) => noteTranscript(context, event),
    async end(outcome) {
      await answer.replace(outcome?.text ?? '');
      await answer.end();
    },
    hurry: answer.hurry,
  };
}

/** The answer on stdout, all else on stderr. What streams has the remarks before calls in it: nobody knows them by then. */
export function textOutput(context: Context, streams = context.screen.isTty): TurnOutput {
  const answer = answerText(context, streams);
  const display = createDisplay(null);
  const print = async (line: string): Promise<void> => {
    await answer.setAside();
    context.note(line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}…` : line);
  };

  async function takeChange(change: BlockChange): Promise<void> {
    switch (change.kind) {
      case 'block_started':
        return print(callLine(change.block));
      case 'block_grew':
        return change.block.kind === 'answer' ? answer.add(change.added) : undefined;
      case 'block_ended':
        return change.block.kind === 'call' && change.block.outcome?.failed === true
          ? print(`  ${cleanLine(change.block.outcome.text.trim().split('\n').at(-1) ?? '')}`)
          : undefined;
      case 'block_restarted':
      case 'call_waits':
        return;
    }
  }

  async function take(event: AgentEvent): Promise<void> {
    noteTranscript(context, event);
    const line = eventLine(event, context.project);
    if (line !== null) await print(line);
    const changes = display.take({ kind: 'event', event });
    if (event.kind === 'turn_snapshot') return answer.replace(textOf(event.step?.blocks ?? []));
    if (event.kind === 'answer_restarted') {
      await answer.forget();
      context.note('(the answer starts again)');
    } else if (event.kind === 'call_announced' || event.kind === 'input_taken') await answer.setAside();
    for (const change of changes) await takeChange(change);
  }

  return { take, end: answer.end, hurry: answer.hurry };
}

/** Where the transcript is, or why there is none. */
function noteTranscript(context: Context, event: AgentEvent): void {
  if (event.kind === 'transcript_opened') context.note(transcriptLine(event.file));
  if (event.kind === 'transcript_failed') context.note(`(the transcript could not be written: ${event.message})`);
}

/** The path of the transcript: whole for programs, short for people. */
function transcriptLine(file: string): string {
  const home = `${userHome()}/`;
  const isShort = process.stderr.isTTY === true && file.startsWith(home);
  return cleanLine(`Transcript: ${isShort ? `~/${file.slice(home.length)}` : file}`);
}

/** The line for an event that is no block; null for none. */
function eventLine(event: AgentEvent, project: string): string | null {
  switch (event.kind) {
    case 'turn_started':
      return readLine(event, project);
    case 'model_replaced':
      return cleanLine(`(${replacedLine(event)})`);
    case 'images_left_out':
      return cleanLine(`(${event.message}; it goes on without images)`);
    case 'compaction_started':
      return `(summarising what was said: about ${formatNumber(event.tokens)} tokens)`;
    case 'context_compacted':
      return compactedLine(event);
    case 'project_noted':
      return event.lines.map((line) => cleanLine(`(${line})`)).join('\n');
    case 'session_started':
      return `  ${cleanLine(sessionLine(event))}`;
    case 'request_failed':
      if (event.retry_in_ms === null) return null;
      return cleanLine(`(${event.message}; again in ${Math.ceil(event.retry_in_ms / 1_000)} s)`);
    default:
      return null;
  }
}

function compactedLine({ tokens_after: tokens, left_out }: Extract<AgentEvent, { kind: 'context_compacted' }>): string {
  const cut = left_out ? '; it was too long to be summarised whole' : '';
  return `(about ${formatNumber(tokens)} tokens are left${cut})`;
}

/** Names the instructions that were read for a turn, and those that were not. */
function readLine(
  { instructions, cut, refused }: Extract<AgentEvent, { kind: 'turn_started' }>,
  project: string,
): string | null {
  const short = (paths: readonly string[]) => paths.map((path) => shortPath(path, project));
  const read = instructions.length === 0 ? [] : [`Read: ${short(instructions).join(', ')}`];
  const lines = [...read, ...unreadInstructions({ cut: short(cut), refused: short(refused) })];
  return lines.length === 0 ? null : lines.map(cleanLine).join('\n');
}

/** A path in the project as one names it there. */
function shortPath(path: string, project: string): string {
  return path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path;
}

function sessionLine({ session, model, task, attachable }: Extract<AgentEvent, { kind: 'session_started' }>): string {
  const where = attachable ? `; to open it: cognition chat ${session}` : '';
  return `sub-session ${shortId(session)}, ${model}${where}: ${task}`;
}
