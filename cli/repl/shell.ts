import { HubError } from '../../hub/error.js';
import type { CommandEvent } from '../../hub/protocol/methods/tools.js';
import type { NodeId } from '../../hub/protocol/node.js';
import { type BegunExecution, beginExecution } from '../executing.js';
import { newNodeId } from '../ids.js';
import { formatBytes } from '../render/words.js';
import type { Conversation } from './conversation.js';
import type { Happening } from './front.js';
import { createPrintedText } from './printed_text.js';
import { callEnd, endCall } from './scene.js';
import { type Stage, showAll } from './stage.js';

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

export function createShell(conversation: () => Conversation): OwnCommands {
  let running: BegunExecution | null = null;
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
    const onEvent = shownFrom(stage, id, command);
    running = beginExecution(context, { execution: { ...where, ...how }, client, onEvent });
    told();
    try {
      const answer = await running.answer;
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
      running?.stop();
      return running !== null;
    },
  };
}

function shownFrom({ scene, front }: Stage, id: NodeId, command: string): (event: CommandEvent) => Promise<void> {
  const printed = createPrintedText();
  return async (event) => {
    switch (event.kind) {
      case 'started': {
        const input = { command };
        scene.calls.set(id, { tool: 'bash', input, printed });
        const shown: Happening[] = [{ kind: 'call_began', id, tool: 'bash', input, by: 'person' }];
        if (event.cwd !== process.cwd()) shown.push({ kind: 'note', text: `(in ${event.cwd})` });
        return showAll(front, shown);
      }
      case 'output':
        return front.show({ kind: 'call_printed', id, text: printed(event) });
      case 'skipped':
        return front.show({ kind: 'note', text: `(${formatBytes(event.bytes)} are not shown)` });
    }
  };
}
