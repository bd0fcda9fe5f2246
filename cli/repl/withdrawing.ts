import type { NodeId, TurnId } from '../../hub/protocol/node.js';
import type { Stage } from './stage.js';

/** How many are taken back with one call. */
const AT_ONCE = 100;

/** Takes back what was said to a turn and not heard yet: it stands in the editor again, in its order. */
export async function withdraw({ client, front, ours }: Stage, turn: TurnId, said: Map<NodeId, string>): Promise<void> {
  const all = [...said.keys()];
  const texts: string[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const inputs = all.slice(at, at + AT_ONCE);
    const dropped = await client.call('loom.input_drop', { turn, inputs });
    const back = new Set(dropped.inputs.flatMap(({ id, state }) => (state === 'dropped' ? [id] : [])));
    for (const id of inputs.filter((one) => back.has(one))) {
      texts.push(said.get(id) ?? '');
      said.delete(id);
      ours.delete(id);
    }
  }
  if (texts.length > 0) await front.giveBack(texts.join('\n'));
}
