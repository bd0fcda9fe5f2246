import { callText } from '../../../hub/call_text.js';
import type { Client } from '../../../hub/client.js';
import type { NodeId, TurnId } from '../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../hub/protocol/turn.js';
import { reasonOf } from '../../failure.js';
import { type Cleaner, clean, cleanLine, createCleaner } from '../../render/clean.js';
import { askedOf, isSilent, nodeText, speakerOf } from '../../render/node_text.js';
import { endWords } from '../../turn_running.js';
import { lastNodes } from '../viewer/window.js';

/** What a turn of somebody else says, from a little before now on. */
export interface Along {
  text(): string;
  stop(): void;
}

const TEXT_LENGTH_MAX = 200_000;

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
  const cleaner = createCleaner();
  let text = '';
  const add = (added: string): void => {
    text = (text + added).slice(-TEXT_LENGTH_MAX);
    changed();
  };
  const line = (words: string): void => add(`${text === '' || text.endsWith('\n') ? '' : '\n'}${words}\n`);
  const take = (event: AgentEvent): void => {
    const told = lineOf(event);
    if (told !== null) line(told);
    else add(textOf(event, cleaner));
  };
  const follow = async (): Promise<void> => {
    add(await textBefore(client, tip, signal));
    await client.stream('agent.follow', { turn }, { onEvent: take, signal });
  };
  follow().catch((error: unknown) => {
    if (!signal.aborted) line(`(${reasonOf(error)})`);
  });
  return { text: () => text, stop: () => abort.abort() };
}

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
      return `(${event.outcome.state === 'done' ? 'it has ended' : endWords(event.outcome.why)})`;
    default:
      return null;
  }
}

function textOf(event: AgentEvent, cleaner: Cleaner): string {
  switch (event.kind) {
    case 'text_added':
      return cleaner.take(event.text);
    case 'call_output':
      return cleaner.take(Buffer.from(event.data, 'base64').toString());
    case 'turn_snapshot':
      return event.step === null ? '' : snapshotText(event.step);
    default:
      return '';
  }
}

function snapshotText(step: NonNullable<Extract<AgentEvent, { kind: 'turn_snapshot' }>['step']>): string {
  const said = step.blocks.flatMap((block) => (block.type === 'text' ? [clean(block.text)] : [])).join('');
  const calls = step.calls.map(({ tool, input }) => `[${cleanLine(tool)}] ${cleanLine(callText(input))}\n`);
  return `${said}${said === '' || said.endsWith('\n') ? '' : '\n'}${calls.join('')}`;
}

/** The end of what was said before. */
async function textBefore(client: Client, tip: NodeId, signal: AbortSignal): Promise<string> {
  const nodes = await lastNodes(client, tip, signal);
  const told = nodes.filter((node) => node.role !== 'root' && !isSilent(node));
  return told.map((node) => `${speakerOf(node)} ${askedOf(node)}`.trimEnd().concat(`\n${nodeText(node)}\n`)).join('');
}
