import { detach } from '../../../hub/base/detach.js';
import { HubError } from '../../../hub/base/error.js';
import type { CommandEvent } from '../../../hub/protocol/methods/tool_methods.js';
import type { Node, NodeId } from '../../../hub/protocol/node.js';
import { type CallOutcome, outcomeOf } from '../../display/block.js';
import { decodePiece, NO_CUT_CHARACTERS } from '../../display/decode_output.js';
import { UNKNOWN_OUTCOME } from '../../display/reduce.js';
import { filesSettled, recordFiles } from '../../exec/project_watch.js';
import { beginExecution, type RunningExecution } from '../../exec/run_command.js';
import { newNodeId } from '../../position/ids.js';
import { formatBytes } from '../../render/text/ids_and_counts.js';
import type { Conversation } from './conversation.js';
import type { ConversationParts } from './conversation_parts.js';

/** Runs the person's shell commands, one at a time. */
export interface OwnCommands {
  /** A `kept` command becomes a node that models are sent. */
  run(command: string, kept: boolean): Promise<void>;
  isRunning(): boolean;
  /** Has the next kept command begin in a new shell. */
  reset(): void;
  /** Resolves as soon as one runs. */
  begun(): Promise<void>;
  /** Ends the one that runs; false when there is none. */
  stop(): boolean;
}

/** The output buffered for display, so that a stopped command's last words appear soon. */
const LAST_LENGTH_MAX = 8_192;

const NOT_KEPT = '(not kept: it is no part of the conversation, and no model is shown it)';
const AS_THE_PERSON = { cwd: null, timeoutMs: null, policy: { kind: 'open' as const }, detached: false };

export function createShell(conversation: () => Conversation): OwnCommands {
  let running: (RunningExecution & Printing) | null = null;
  let notifyStart = (): void => undefined;
  let isReset = false;

  async function run(command: string, kept: boolean): Promise<void> {
    const here = conversation();
    const { parts, place, turns } = here;
    const { client, front, ours, context } = parts;
    if (kept && turns.current() !== null) throw turnRuns();
    await here.ensure();
    await showNotes(parts, await filesSettled(context));
    const id = newNodeId();
    if (kept) {
      here.stepAside();
      ours.add(id);
    }
    const at = { tree: { id: place.tree }, parent: place.position() };
    const printing = printingOf(parts, id, command);
    const execution = { ...AS_THE_PERSON, ...at, id, command, append: kept, reset: isReset };
    const begun = beginExecution(context, { execution, client, onEvent: printing.onEvent });
    running = { ...begun, ...printing };
    notifyStart();
    try {
      const answer = await begun.answer;
      if (answer === null) return await front.show({ kind: 'note', text: '(it was stopped before it began)' });
      await printing.end(outcomeOf(answer));
      if (!kept) await front.show({ kind: 'note', text: NOT_KEPT });
      if (answer.node !== null) {
        isReset = false;
        place.advance(answer.node.id, null);
        recordMeanwhile(parts, answer.node);
      }
      if (answer.branched && kept)
        await front.show({ kind: 'note', text: '(this is a new branch. See them with: /branches)' });
    } finally {
      await printing.end(UNKNOWN_OUTCOME);
      running = null;
      ours.delete(id);
    }
  }

  return {
    run,
    isRunning: () => running !== null,
    reset() {
      isReset = true;
    },
    begun: () =>
      new Promise((resolve) => {
        notifyStart = resolve;
        if (running !== null) resolve();
      }),
    stop() {
      running?.holdBack();
      running?.stop();
      return running !== null;
    },
  };
}

function turnRuns(): HubError {
  return new HubError('conflict', 'a turn is running, and what you run would not be a part of it', {
    hint: 'wait for its end, or use !! for a command that is not kept',
  });
}

/** Nobody waits for it. What cannot be recorded now is told again when it cannot be the next time. */
function recordMeanwhile(parts: ConversationParts, node: Node): void {
  const recorded = recordFiles(parts.context, node).then((notes) => showNotes(parts, notes));
  detach(recorded, () => undefined);
}

async function showNotes({ front }: ConversationParts, notes: readonly string[]): Promise<void> {
  for (const text of notes) await front.show({ kind: 'note', text });
}

/** The output of a command on its way to the display. */
interface Printing {
  onEvent(event: CommandEvent): Promise<void>;
  /** Displays only the tail from now on: a stopped flood is not shown to its end. */
  holdBack(): void;
  /** Displays its end, once. */
  end(outcome: CallOutcome): Promise<void>;
}

function printingOf({ display, front }: ConversationParts, id: NodeId, command: string): Printing {
  let cut = NO_CUT_CHARACTERS;
  let held: { text: string; leftOutBytes: number } | null = null;
  const noteLeftOut = (bytes: number): Promise<void> =>
    front.show({ kind: 'note', text: `(${formatBytes(bytes)} are not shown)` });
  return {
    holdBack() {
      held ??= { text: '', leftOutBytes: 0 };
    },
    async onEvent(event) {
      switch (event.kind) {
        case 'started': {
          const started = display.take({ kind: 'command_started', id, command });
          if (event.cwd === process.cwd()) return started;
          return front.show({ kind: 'note', text: `(in ${event.cwd})` });
        }
        case 'output': {
          const piece = decodePiece(cut, event);
          cut = piece.cut;
          if (held === null) return display.take({ kind: 'command_printed', id, text: piece.text });
          const all = held.text + piece.text;
          const text = all.slice(-LAST_LENGTH_MAX);
          held = { text, leftOutBytes: held.leftOutBytes + all.length - text.length };
          return;
        }
        case 'skipped':
          return noteLeftOut(event.bytes);
      }
    },
    async end(outcome) {
      const shown: Promise<void>[] = [];
      if (held !== null && held.text !== '' && display.state().calls.has(id)) {
        if (held.leftOutBytes > 0) shown.push(noteLeftOut(held.leftOutBytes));
        shown.push(display.take({ kind: 'command_printed', id, text: held.text }));
      }
      await Promise.all([...shown, display.take({ kind: 'command_ended', id, outcome })]);
    },
  };
}
