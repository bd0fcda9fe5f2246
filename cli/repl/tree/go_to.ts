import type { Node, NodeId } from '../../../hub/protocol/node.js';
import { settledNode } from '../../place/position.js';
import { findNode } from '../../place/reference.js';
import { labelOf } from '../../render/node/node_label.js';
import { titledOf } from '../../render/node/node_text.js';
import { formatAge } from '../../render/text/age.js';
import { cut } from '../../render/text/cut.js';
import { count, shortId } from '../../render/text/ids_and_counts.js';
import type { Conversation } from '../conversation/conversation.js';
import type { Repl } from '../repl.js';
import { nameIn } from './quoted_words.js';

const WORDS_COLUMNS = 60;
const WORDS_COLUMNS_MIN = 12;
/** What `You are at`, an id and the blanks between them take. */
const BEFORE_WORDS = 21;

/** The place that a person means by `@`, `root`, an id, a mark or the beginning of an id. */
export async function nodeNamed({ context, conversation }: Repl, reference: string): Promise<NodeId> {
  const { place } = conversation();
  if (reference === '@') return place.position();
  return settledNode(context, { id: place.tree }, await findNode(context, place.tree, nameIn(reference)));
}

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

/** A node as a person tells it: its id and its first words, its age, and how long the conversation is up to there. */
async function placeWords(context: Conversation['stage']['context'], node: Node): Promise<string> {
  const titled = titledOf(node);
  const look = await context.look([titled.preview]);
  const tail =
    node.role === 'root' ? '' : `  ${formatAge(node.created_at_ms, look.nowMs)}, ${count(node.depth, 'node')} deep`;
  const room = Math.max(WORDS_COLUMNS_MIN, Math.min(WORDS_COLUMNS, look.width - BEFORE_WORDS - tail.length));
  return `${shortId(node.id)}  ${labelOf(titled, room, look)}${tail}`;
}

/** The first words of a message, in quotes; a call as it is drawn. */
export async function quotedWords(context: Conversation['stage']['context'], node: Node): Promise<string> {
  const titled = titledOf(node);
  const look = await context.look([titled.preview]);
  return titled.role === 'tool'
    ? labelOf(titled, WORDS_COLUMNS, look)
    : `"${cut(titled.preview, WORDS_COLUMNS, look)}"`;
}
