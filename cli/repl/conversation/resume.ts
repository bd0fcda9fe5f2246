import type { Client } from '../../../hub/client/client.js';
import type { Node, NodeId, Tree } from '../../../hub/protocol/node.js';
import type { Context } from '../../command_line/command_context.js';
import { followedPosition, positionOf } from '../../position/position.js';
import { shownFolder, workFolder } from '../../position/project_folder.js';
import { cleanLine } from '../../render/text/clean.js';
import { shortId } from '../../render/text/ids_and_counts.js';
import type { Front } from '../front/front.js';
import { isMessage, upwards } from '../tree/ancestors.js';
import { excerptEvents } from '../tree/last_exchange.js';
import { showAll } from './chat_display.js';
import type { Conversation, Opened } from './conversation.js';
import { openQuestion } from './open_question.js';

/** The nodes shown when a conversation is resumed. */
const MESSAGES_SHOWN = 4;
const NODES_SHOWN_MAX = 60;

/** Loads the person's position in a tree, and whether it follows a running turn. */
export async function placeIn(context: Context, tree: Tree, at: string | undefined): Promise<Opened> {
  const followed = at === undefined ? await followedPosition(context, tree) : null;
  const position = await positionOf(context, tree, at);
  const following = followed?.node === position ? followed.following : null;
  return { tree: tree.id, known: { position, following, seq: tree.last_seq } };
}

/** Announces a new conversation, or shows the end of a resumed one. */
export async function showOpening(front: Front, here: Conversation, tree: Tree | null): Promise<void> {
  const { place, parts } = here;
  const folder = `Folder: ${shownFolder(workFolder(tree, parts.context.project))}\n`;
  if (tree === null) {
    await front.show({ kind: 'text', text: `Starting new conversation...\nTree: ${place.tree}\n${folder}` });
    return;
  }
  const name = tree.name === null ? '' : ` "${cleanLine(tree.name)}"`;
  await front.show({ kind: 'text', text: `Resuming conversation${name}...\nTree: ${place.tree}\n${folder}` });
  if (tree.name !== null) front.update({ name: cleanLine(tree.name) });
  const { nodes, isWhole } = await lastNodes(parts.client, place.position());
  if (!isWhole) await front.show({ kind: 'note', text: '(what came before: /context)' });
  await showAll(
    front,
    nodes.flatMap((node) => excerptEvents(node)),
  );
  await parts.display.take({ kind: 'nodes_seen', ids: nodes.map(({ id }) => id) });
  if (tree.archived_at_ms !== null) {
    const text = `(this conversation is archived: nothing can be added. Restore with: cognition restore ${shortId(tree.id)})`;
    await front.show({ kind: 'note', text });
  }
  await here.ensure();
  await joinTurn(front, here);
}

async function joinTurn(front: Front, here: Conversation): Promise<void> {
  const following = here.place.following();
  if (following === null) return;
  const isWaiting = (await openQuestion(here.parts.client, here)) !== null;
  if (!isWaiting)
    await front.show({ kind: 'note', text: '(a turn that you began is running: you come along with it)' });
  here.join(following);
}

/** The last messages before a position, with the calls between them. */
async function lastNodes(client: Client, position: NodeId): Promise<{ nodes: Node[]; isWhole: boolean }> {
  const nodes: Node[] = [];
  let messages = 0;
  for await (const node of upwards(client, position)) {
    if (messages >= MESSAGES_SHOWN || nodes.length >= NODES_SHOWN_MAX) {
      return { nodes: nodes.reverse(), isWhole: node.role === 'root' };
    }
    nodes.push(node);
    if (isMessage(node)) messages += 1;
  }
  return { nodes: nodes.reverse(), isWhole: true };
}
