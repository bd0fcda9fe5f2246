import { HubError } from '../../../hub/base/error.js';
import type { CommandEvent } from '../../../hub/protocol/methods/tool_methods.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import { type BegunExecution, beginExecution } from '../../exec/run_command.js';
import { newNodeId } from '../../place/ids.js';
import { formatBytes } from '../../render/text/ids_and_counts.js';
import type { DisplayEvent } from '../front/front.js';
import type { Conversation } from './conversation.js';
import { type ConversationParts, showAll } from './conversation_parts.js';
import { createPrintedText } from './decode_output.js';
import { callEnd, endCall, UNKNOWN_END } from './on_display.js';

/** Runs the person's own commands, one at a time. */
export interface OwnCommands {
  /** `kept`: it becomes a part of the conversation, which a model is shown. */
  run(command: string, kept: boolean): Promise<void>;
  isRunning(): boolean;
  /** Resolves as soon as one runs. */
  begun(): Promise<void>;
  /** Ends the one that runs; false when there is none. */
  stop(): boolean;
}

/** What a command says when it is stopped is seen; of what it had printed before no more than this is on its way. */
const LAST_LENGTH_MAX = 8_192;

export function createShell(conversation: () => Conversation): OwnCommands {
  let running: (BegunExecution & Printing) | null = null;
  let told = (): void => undefined;

  async function run(command: string, kept: boolean): Promise<void> {
    const here = conversation();
    const { stage, place, turns } = here;
    const { client, front, ours, context } = stage;
    if (kept && turns.current() !== null) {
      throw new HubError('conflict', 'a turn is running, and what you run would not be a part of it', {
        hint: 'wait for its end, or use !! for a command that is not kept',
      });
    }
    await here.ensure();
    const id = newNodeId();
    if (kept) {
      here.stepAside();
      ours.add(id);
    }
    const where = { tree: { id: place.tree }, parent: place.position(), id, command };
    const how = { cwd: null, timeoutMs: null, policy: { kind: 'open' as const }, detached: false, append: kept };
    const printing = printingOf(stage, id, command);
    const begun = beginExecution(context, { execution: { ...where, ...how }, client, onEvent: printing.onEvent });
    running = { ...begun, ...printing };
    told();
    try {
      const answer = await begun.answer;
      if (answer === null) return await front.show({ kind: 'note', text: '(it was stopped before it began)' });
      await showAll(front, endCall(stage.scene, id, callEnd(answer)));
      if (!kept)
        await front.show({
          kind: 'note',
          text: '(not kept: it is no part of the conversation, and no model is shown it)',
        });
      if (answer.node !== null) place.advance(answer.node.id, null);
      if (answer.branched && kept)
        await front.show({ kind: 'note', text: '(this is a new branch. See them with: /branches)' });
    } finally {
      await showAll(front, endCall(stage.scene, id, UNKNOWN_END));
      running = null;
      ours.delete(id);
    }
  }

  return {
    run,
    isRunning: () => running !== null,
    begun: () =>
      new Promise((resolve) => {
        told = resolve;
        if (running !== null) resolve();
      }),
    stop() {
      running?.holdBack();
      running?.stop();
      return running !== null;
    },
  };
}

/** What a command prints, as it is shown. */
interface Printing {
  onEvent(event: CommandEvent): Promise<void>;
  /** From now on only the last of it is wanted: nobody who stops a flood wants to see the rest of it. */
  holdBack(): void;
}

function printingOf({ scene, front }: ConversationParts, id: NodeId, command: string): Printing {
  const printed = createPrintedText();
  let held: { text: string; leftOutBytes: number } | null = null;
  const output = (text: string): Promise<void> => {
    if (held === null) return front.show({ kind: 'call_printed', id, text });
    const all = held.text + text;
    const kept = all.slice(-LAST_LENGTH_MAX);
    held = { text: kept, leftOutBytes: held.leftOutBytes + all.length - kept.length };
    return Promise.resolve();
  };
  const heldBack = (): DisplayEvent[] => {
    if (held === null || held.text === '') return [];
    const { text, leftOutBytes } = held;
    return [...(leftOutBytes === 0 ? [] : [notShown(leftOutBytes)]), { kind: 'call_printed', id, text }];
  };
  return {
    holdBack() {
      held ??= { text: '', leftOutBytes: 0 };
    },
    async onEvent(event) {
      switch (event.kind) {
        case 'started': {
          const input = { command };
          scene.calls.set(id, { tool: 'bash', input, printed, heldBack });
          const shown: DisplayEvent[] = [{ kind: 'call_began', id, tool: 'bash', input, by: 'person' }];
          if (event.cwd !== process.cwd()) shown.push({ kind: 'note', text: `(in ${event.cwd})` });
          return showAll(front, shown);
        }
        case 'output':
          return output(printed(event));
        case 'skipped':
          return front.show(notShown(event.bytes));
      }
    },
  };
}

function notShown(bytes: number): DisplayEvent {
  return { kind: 'note', text: `(${formatBytes(bytes)} are not shown)` };
}
