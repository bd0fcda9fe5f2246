import type { NodeId } from '../../../hub/protocol/node.js';
import { settledNode } from '../../position/position.js';
import { findNode } from '../../position/reference.js';
import type { Conversation } from '../conversation/conversation.js';
import type { Repl } from '../repl.js';
import { placeWords } from './node_words.js';
import { nameIn } from './split_words.js';

/** The node that `@`, `root`, an id, a mark or the beginning of an id refers to. */
export async function nodeNamed({ context, conversation }: Repl, reference: string): Promise<NodeId> {
  const { place } = conversation();
  if (reference === '@') return place.position();
  return settledNode(context, { id: place.tree }, await findNode(context, place.tree, nameIn(reference)));
}

/** Moves the position to a node, describes it, and follows a turn that runs there. */
export async function goTo(here: Conversation, node: NodeId): Promise<void> {
  const { parts, place, turns } = here;
  const { client, front, context } = parts;
  const { node: there, child_count: children } = await client.call('loom.node_get', { node });
  const running = await client.call('agent.status', { tree: place.tree });
  const isLeaving = turns.current() !== null;
  place.go(node, children > 0);
  await front.show({ kind: 'text', text: `You are at ${await placeWords(context, there)}\n` });
  const turn = running.turns.find(({ tip }) => tip === node);
  if (turn !== undefined) {
    await front.show({ kind: 'note', text: '(a turn is running here: you come along with it)' });
    here.join(turn.turn);
    return;
  }
  if (isLeaving) await front.show({ kind: 'note', text: '(the turn goes on without you)' });
  if (children > 0) await front.show({ kind: 'text', text: 'What you say next is another branch from here.\n' });
}
