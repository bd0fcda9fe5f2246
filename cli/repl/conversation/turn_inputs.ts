import { HubError } from '../../../hub/base/error.js';
import type { Block, NodeId, TurnId } from '../../../hub/protocol/node.js';
import type { TurnOutcome } from '../../../hub/protocol/turn.js';
import { newNodeId } from '../../position/ids.js';
import type { QueuedInput } from '../front/front.js';
import type { ConversationParts } from './conversation_parts.js';

/** A message as typed, and as sent to the model. */
export interface TypedMessage {
  text: string;
  blocks: Extract<Block, { type: 'text' } | { type: 'image' }>[];
}

/** An answer to a question of a turn; `by` is whose hub has that, if it is another. */
export interface Answering {
  turn: TurnId;
  call: string;
  answer: string;
  by?: string | null;
}

/** What was said to a running turn and is no node yet. */
export interface TurnInputs {
  queued(): QueuedInput[];
  /** Sends one; false when the turn has ended. */
  send(turn: TurnId, said: TypedMessage, kind: QueuedInput['kind']): Promise<boolean>;
  /** The turn has heard one. */
  taken(id: NodeId): void;
  /** Brings all that the turn has not heard back into the editor. */
  takeBack(turn: TurnId): Promise<void>;
  /** Forgets them at the end of their turn: the one that came too late for that, and is its last node. */
  late(ended: TurnOutcome): Promise<NodeId | null>;
  clear(): void;
}

export function createTurnInputs(parts: ConversationParts, changed: () => void): TurnInputs {
  const { client, ours } = parts;
  const pending = new Map<NodeId, QueuedInput>();
  /** Those of the turn that runs. */
  const all = new Set<NodeId>();
  /** Resolves when the hub has the last one, or has refused it. */
  let sent: Promise<unknown> = Promise.resolve();
  return {
    queued: () => [...pending.values()],
    async send(turn, { text, blocks }, kind) {
      const id = newNodeId();
      ours.add(id);
      pending.set(id, { text, kind });
      all.add(id);
      changed();
      const sending = client.call('agent.steer', { id, turn, kind, blocks });
      sent = sending.catch(() => null); // the caller gets the error
      try {
        await sending;
      } catch (error) {
        pending.delete(id);
        changed();
        ours.delete(id);
        if (error instanceof HubError && (error.kind === 'conflict' || error.kind === 'not_found')) return false;
        throw error;
      }
      return true;
    },
    taken(id) {
      pending.delete(id);
      changed();
    },
    async takeBack(turn) {
      // What the hub does not have yet cannot be taken back from it.
      await sent;
      await withdraw(parts, turn, pending);
      changed();
    },
    async late({ state, tip }) {
      const isOurs = pending.size > 0 || all.has(tip);
      pending.clear();
      all.clear();
      if (!isOurs) return null;
      const { node } = await client.call('loom.node_get', { node: tip });
      return state === 'done' && node.role === 'user' ? tip : null;
    },
    clear: () => pending.clear(),
  };
}

/** The number of inputs withdrawn per call. */
const AT_ONCE = 100;

/** Withdraws the pending inputs of a turn into the editor, in order. */
export async function withdraw(
  { client, front, ours }: ConversationParts,
  turn: TurnId,
  said: Map<NodeId, Pick<QueuedInput, 'text'>>,
): Promise<void> {
  // If the turn ends meanwhile, only this copy still has the text.
  const all = [...said];
  const texts: string[] = [];
  try {
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const some = all.slice(at, at + AT_ONCE);
      const dropped = await client.call('loom.input_drop', { turn, inputs: some.map(([id]) => id) });
      const back = new Set(dropped.inputs.flatMap(({ id, state }) => (state === 'dropped' ? [id] : [])));
      for (const [id, { text }] of some.filter(([one]) => back.has(one))) {
        texts.push(text);
        said.delete(id);
        ours.delete(id);
      }
    }
  } finally {
    if (texts.length > 0) await front.giveBack(texts.join('\n'));
  }
}
