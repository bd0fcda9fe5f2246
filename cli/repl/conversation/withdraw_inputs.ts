import type { NodeId, TurnId } from '../../../hub/protocol/node.js';
import type { ConversationParts } from './conversation_parts.js';

/** How many are taken back with one call. */
const AT_ONCE = 100;

/** Takes back what was said to a turn and not heard yet: it stands in the editor again, in its order. */
export async function withdraw(
  { client, front, ours }: ConversationParts,
  turn: TurnId,
  said: Map<NodeId, string>,
): Promise<void> {
  // The turn may end while the hub is asked, and then nobody else knows any more what was said.
  const all = [...said];
  const texts: string[] = [];
  try {
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const some = all.slice(at, at + AT_ONCE);
      const dropped = await client.call('loom.input_drop', { turn, inputs: some.map(([id]) => id) });
      const back = new Set(dropped.inputs.flatMap(({ id, state }) => (state === 'dropped' ? [id] : [])));
      for (const [id, text] of some.filter(([one]) => back.has(one))) {
        texts.push(text);
        said.delete(id);
        ours.delete(id);
      }
    }
  } finally {
    if (texts.length > 0) await front.giveBack(texts.join('\n'));
  }
}
