import { callText } from '../../../hub/base/call_title.js';
import { textsOf } from '../../../hub/base/node_blocks.js';
import type { Client } from '../../../hub/client/client.js';
import type { NodeId, TurnId } from '../../../hub/protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../../hub/protocol/turn.js';
import { reasonOf } from '../../output/failure.js';
import type { Look } from '../../render/look/look.js';
import { askedOf, isSilent, nodeText, speakerOf } from '../../render/node/node_text.js';
import { type Cleaner, clean, cleanLine, createCleaner } from '../../render/text/clean.js';
import { endWords } from '../../turn/run_turn.js';
import { createPrintedText, type PrintedText } from '../conversation/decode_output.js';
import { lastNodes } from '../viewer/path_window.js';
import { type AlongRows, createAlongText } from './scrollback.js';

/** What a turn of somebody else says, from a little before now on. */
export interface Along {
  rows(look: Look): AlongRows;
  stop(): void;
}

export interface AlongParts {
  client: Client;
  turn: TurnId;
  /** Where its path ended when it was looked at. */
  tip: NodeId;
  changed(): void;
}

/** Reads along until it is stopped; the turn goes on whether or not somebody reads. */
export function readAlong({ client, turn, tip, changed }: AlongParts): Along {
  const abort = new AbortController();
  const { signal } = abort;
  const hearing: Hearing = { cleaner: createCleaner(), calls: new Map() };
  const page = createAlongText();
  let hasEnded = false;
  const line = (words: string): void => {
    page.line(words);
    changed();
  };
  const take = (event: AgentEvent): void => {
    hasEnded ||= event.kind === 'turn_ended';
    const told = lineOf(event);
    if (told !== null) line(told);
    else page.add(textOf(event, hearing), event.kind === 'call_output');
    changed();
  };
  const follow = async (): Promise<void> => {
    page.add(await textBefore(client, tip, signal));
    changed();
    const { outcome } = await client.stream('agent.follow', { turn }, { onEvent: take, signal, startsHub: false });
    // Of a turn that ended before, no event tells so.
    if (!hasEnded && outcome !== null && outcome.state !== 'waiting') line(endLine(outcome));
  };
  follow().catch((error: unknown) => {
    if (!signal.aborted) line(`(${reasonOf(error)})`);
  });
  return { rows: page.rows, stop: () => abort.abort() };
}

function endLine({ state, why, failure }: TurnOutcome): string {
  if (state === 'done') return '(it has ended)';
  if (failure !== null) return `(it failed: ${cleanLine(failure.message)})`;
  return why === null ? `(it has ${ENDED[state] ?? 'ended'})` : `(${endWords(why)})`;
}

const ENDED: Readonly<Record<string, string>> = {
  stopped: 'been stopped',
  interrupted: 'been interrupted',
  failed: 'failed',
};

/** What stands in a line of its own; null for nothing, and for text. */
function lineOf(event: AgentEvent): string | null {
  switch (event.kind) {
    case 'call_started':
      return `[${cleanLine(event.tool)}] ${cleanLine(callText(event.input))}`;
    case 'request_failed':
      return `(${clean(event.message)})`;
    case 'answer_restarted':
      return '(the answer starts again)';
    case 'turn_ended':
      return endLine(event.outcome);
    default:
      return null;
  }
}

interface Hearing {
  cleaner: Cleaner;
  /** What the calls of the step under way print. */
  calls: Map<NodeId, PrintedText>;
}

function textOf(event: AgentEvent, { cleaner, calls }: Hearing): string {
  switch (event.kind) {
    case 'text_added':
      return cleaner.take(event.text);
    case 'call_output':
      return cleaner.take(printedBy(calls, event.id)(event));
    case 'step_committed':
      calls.clear();
      return '';
    case 'turn_snapshot':
      return event.step === null ? '' : snapshotText(event.step);
    default:
      return '';
  }
}

function printedBy(calls: Hearing['calls'], id: NodeId): PrintedText {
  const printed = calls.get(id) ?? createPrintedText();
  calls.set(id, printed);
  return printed;
}

function snapshotText(step: NonNullable<Extract<AgentEvent, { kind: 'turn_snapshot' }>['step']>): string {
  const said = textsOf(step.blocks).map(clean).join('');
  const calls = step.calls.map(({ tool, input }) => `[${cleanLine(tool)}] ${cleanLine(callText(input))}\n`);
  return `${said}${said === '' || said.endsWith('\n') ? '' : '\n'}${calls.join('')}`;
}

/** The end of what was said before. */
async function textBefore(client: Client, tip: NodeId, signal: AbortSignal): Promise<string> {
  const nodes = await lastNodes(client, tip, signal);
  const told = nodes.filter((node) => node.role !== 'root' && !isSilent(node));
  return told.map((node) => `${speakerOf(node)} ${askedOf(node)}`.trimEnd().concat(`\n${nodeText(node)}\n`)).join('');
}
