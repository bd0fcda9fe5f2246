import type { NodeId, TurnId } from '../../../hub/protocol/node.js';
import { newNodeId } from '../../position/ids.js';
import type { QueuedInput } from '../front/front.js';
import type { ConversationParts } from './conversation_parts.js';
import type { TypedMessage } from './typed_message.js';

/** What was said to a running turn and is no node yet. */
export interface TurnInputs {
  queued(): QueuedInput[];
  /** Sends one; fails when the turn has ended. */
  send(turn: TurnId, said: TypedMessage, kind: QueuedInput['kind']): Promise<void>;
  /** The turn has heard one. */
  taken(id: NodeId): void;
  /** Brings all that the turn has not heard back into the editor. */
  takeBack(turn: TurnId): Promise<void>;
  clear(): void;
}

export function createTurnInputs(parts: ConversationParts, changed: () => void): TurnInputs {
  const { client, ours } = parts;
  const pending = new Map<NodeId, QueuedInput>();
  /** Resolves when the hub has the last one, or has refused it. */
  let sent: Promise<unknown> = Promise.resolve();
  return {
    queued: () => [...pending.values()],
    async send(turn, { text, blocks }, kind) {
      const id = newNodeId();
      ours.add(id);
      pending.set(id, { text, kind });
      changed();
      const sending = client.call('agent.steer', { id, turn, kind, blocks });
      sent = sending.catch(() => null); // the caller gets the error
      try {
        await sending;
      } catch (error) {
        pending.delete(id);
        changed();
        ours.delete(id);
        throw error;
      }
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
