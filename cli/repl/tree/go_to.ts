import { HubError } from '../../../hub/base/error.js';
import { hintText } from '../../../hub/base/hint.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import { settledNode } from '../../position/position.js';
import { findNode } from '../../position/reference.js';
import { comingAlong, isAtHub } from '../../sharing/turn_at_hub.js';
import type { Conversation } from '../conversation/conversation.js';
import type { Repl } from '../repl.js';
import { lastExchange } from './last_exchange.js';
import { placeWords } from './node_words.js';
import { nameIn } from './split_words.js';

/** The node that `@`, `root`, an id, a mark or the beginning of an id refers to. */
export async function nodeNamed({ context, conversation }: Repl, reference: string): Promise<NodeId> {
  const { place } = conversation();
  if (reference === '@') return place.position();
  return settledNode(context, { id: place.tree }, await findNode(context, place.tree, nameIn(reference)));
}

/** Moves the position to a node, shows the end of its branch, and follows a turn that runs there. */
export async function goTo(here: Conversation, node: NodeId, { redraws } = { redraws: true }): Promise<void> {
  const { parts, place, turns } = here;
  const { client, front, context } = parts;
  const { node: there, child_count: children } = await client.call('loom.node_get', { node });
  const running = await client.call('agent.status', { tree: place.tree });
  const isLeaving = turns.current() !== null;
  const left = place.position();
  place.go(node, children > 0 ? 'here' : 'none');
  const turn = running.turns.find(({ tip, seen_at_ms }) => tip === node && seen_at_ms === undefined);
  await front.show({ kind: 'text', text: `You are at ${await placeWords(context, there)}\n` });
  if (children > 0 && turn === undefined)
    await front.show({ kind: 'text', text: 'What you say next is another branch from here.\n' });
  if (redraws) await showLastExchange(here);
  await noteArchived(here, node);
  await noteSettingsOfFile(here, { left, node });
  if (turn !== undefined) {
    const atHub = isAtHub(turn) ? turn : undefined;
    const text = atHub === undefined ? '(a turn is running here: you come along with it)' : comingAlong(atHub);
    await front.show({ kind: 'note', text });
    here.join(turn.turn, atHub);
    return;
  }
  if (isLeaving) await front.show({ kind: 'note', text: '(the turn goes on without you)' });
}

/** Says of a place in an archived branch that nothing can be added there. */
async function noteArchived({ parts, place }: Conversation, node: NodeId): Promise<void> {
  try {
    await parts.client.call('loom.node_check', { tree: place.tree, node });
  } catch (error) {
    if (!(error instanceof HubError && error.kind === 'archived')) throw error;
    await parts.front.show({
      kind: 'note',
      text: `(${error.message}. ${error.hint === null ? '' : hintText(error.hint)})`,
    });
  }
}

/** Says of settings that came with a file, where a branch begins to have them, that they are not used. */
async function noteSettingsOfFile(
  { parts }: Conversation,
  { left, node }: { left: NodeId; node: NodeId },
): Promise<void> {
  const before = await parts.client.call('loom.context_get_settings', { node: left });
  const { untrusted } = await parts.client.call('loom.context_get_settings', { node });
  if (untrusted === null || untrusted === before.untrusted) return;
  const text =
    '(settings that came with a file are not used here; you are shown them, and asked, when you open a chat at this place)';
  await parts.front.show({ kind: 'note', text });
}

/** Shows on a screen what stands above the position; where lines are only appended the words about it are enough. */
export async function showLastExchange({ parts, place }: Conversation): Promise<void> {
  const { client, front, display } = parts;
  if (!front.attended || front.isAppendOnly) return;
  const { shown, events } = await lastExchange(client, place.position());
  for (const event of events) await front.show(event);
  await display.take({ kind: 'nodes_seen', ids: shown });
}
