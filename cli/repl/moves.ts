import type { Node, NodeId } from '../../hub/protocol/node.js';
import { cut } from '../render/cut.js';
import { labelOf } from '../render/label.js';
import { titledOf } from '../render/node_text.js';
import { shortId } from '../render/words.js';
import type { Conversation } from './conversation.js';

const WORDS_COLUMNS = 60;

/** Goes to a node, says where that is, and comes along with a turn that runs there. */
export async function goTo(here: Conversation, node: NodeId): Promise<void> {
  const { stage, place, turns } = here;
  const { client, front, context } = stage;
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

/** A node as a person tells it: its id and its first words. */
async function placeWords(context: Conversation['stage']['context'], node: Node): Promise<string> {
  const titled = titledOf(node);
  const look = await context.look([titled.preview]);
  return `${shortId(node.id)}  ${labelOf(titled, Math.min(WORDS_COLUMNS, look.width - 20), look)}`;
}

/** The first words of a message, in quotes. */
export async function quotedWords(context: Conversation['stage']['context'], node: Node): Promise<string> {
  const { preview } = titledOf(node);
  return `"${cut(preview, WORDS_COLUMNS, await context.look([preview]))}"`;
}
