import { detach } from '../../../hub/base/detach.js';
import type { Client } from '../../../hub/client/client.js';
import type { Node, NodeId, TurnId } from '../../../hub/protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../../hub/protocol/turn.js';
import type { BlockChange } from '../../display/block.js';
import { createDisplay } from '../../display/display.js';
import { reasonOf } from '../../output/failure.js';
import type { Look } from '../../render/look/look.js';
import { callLine } from '../../render/node/call_line.js';
import { callTextOf, isSilent, nodeText, speakerOf } from '../../render/node/node_text.js';
import { clean, cleanLine, createCleaner } from '../../render/text/clean.js';
import { endWords } from '../../turn/run_turn.js';
import { lastNodes } from '../viewer/path_window.js';
import { createScrollback, type Scrollback, type ScrollbackRows } from './scrollback.js';

/** The text of a turn, from shortly before it is opened. */
export interface TurnText {
  rows(look: Look): ScrollbackRows;
  stop(): void;
}

export interface TurnTextParts {
  client: Client;
  turn: TurnId;
  /** Its last node when it was listed. */
  tip: NodeId;
  /** Whether another hub has it. */
  isElsewhere: boolean;
  changed(): void;
}

/** Follows a turn until `stop`; the turn itself is not affected. */
export function readTurn({ client, turn, tip, isElsewhere, changed }: TurnTextParts): TurnText {
  const abort = new AbortController();
  const { signal } = abort;
  const scrollback = createScrollback();
  const print = printTo(scrollback);
  const display = createDisplay(tip);
  let hasEnded = false;
  let told: Promise<void> = Promise.resolve();
  let last = tip;
  /** Of a turn at another hub only the steps come. */
  const addStep = async (to: NodeId): Promise<void> => {
    const nodes = await lastNodes(client, to, signal);
    scrollback.add(textOfNodes(nodes.slice(nodes.findIndex(({ id }) => id === last) + 1)));
    last = to;
    changed();
  };
  const line = (words: string): void => {
    scrollback.line(words);
    changed();
  };
  const onEvent = (event: AgentEvent): void => {
    hasEnded ||= event.kind === 'turn_ended';
    for (const change of display.take({ kind: 'event', event })) print(change);
    if (event.kind === 'step_committed' && isElsewhere) {
      told = told.then(() => addStep(event.tip));
      detach(told, () => undefined); // the turn goes on without its text here
    }
    if (event.kind === 'request_failed') scrollback.line(`(${clean(event.message)})`);
    if (event.kind === 'turn_ended') scrollback.line(endLine(event.outcome));
    changed();
  };
  const follow = async (): Promise<void> => {
    scrollback.add(await textBefore(client, tip, signal));
    changed();
    const { outcome } = await client.stream('agent.follow', { turn }, { onEvent, signal, startsHub: false });
    // A turn that ended earlier sends no event.
    if (!hasEnded && outcome !== null && outcome.state !== 'waiting') line(endLine(outcome));
  };
  detach(follow(), (error) => {
    if (!signal.aborted) line(`(${reasonOf(error)})`);
  });
  return { rows: scrollback.rows, stop: () => abort.abort() };
}

/** Prints answers, calls and their output in order. */
function printTo(scrollback: Scrollback): (change: BlockChange) => void {
  const cleaner = createCleaner();
  return (change) => {
    switch (change.kind) {
      case 'block_started':
        scrollback.line(callLine(change.block));
        break;
      case 'block_grew':
        if (change.block.kind === 'call') scrollback.add(change.added.replaceAll('\r', '\n'), true);
        else if (change.block.kind === 'answer') scrollback.add(cleaner.take(change.added));
        break;
      case 'block_restarted':
        scrollback.line('(the answer starts again)');
        break;
      case 'block_ended':
      case 'call_waits':
        break;
    }
  };
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

/** The last lines of the path so far. */
async function textBefore(client: Client, tip: NodeId, signal: AbortSignal): Promise<string> {
  return textOfNodes(await lastNodes(client, tip, signal));
}

function textOfNodes(nodes: readonly Node[]): string {
  const spoken = nodes.filter((node) => node.role !== 'root' && !isSilent(node));
  return spoken
    .map((node) => `${speakerOf(node)} ${callTextOf(node)}`.trimEnd().concat(`\n${nodeText(node)}\n`))
    .join('');
}
