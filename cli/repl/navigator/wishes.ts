import type { Client } from '../../../hub/client.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import type { Contents } from './contents.js';
import { type Grown, NONE } from './grown.js';
import type { NavigatorWish } from './keys.js';
import { listed, type Navigation, revealed } from './state.js';

/** How a person left the navigator: at a node to go to, with what they had said there when they want to say it otherwise. */
export interface NavigatorEnd {
  node: NodeId;
  edit: string | null;
}

/** What wishes are fulfilled with. */
export interface Desk {
  client: Client;
  tree: TreeId;
  grown: Grown;
  contents: Contents;
  state(): Navigation;
  show(state: Navigation): void;
  leave(end: NavigatorEnd | null): void;
}

/** Does what the navigator cannot do by itself. */
export async function fulfil(wish: NavigatorWish, desk: Desk): Promise<void> {
  switch (wish.kind) {
    case 'leave':
      return desk.leave(null);
    case 'go':
      return go(wish, desk);
    case 'go_to_hit':
      return goToHit(wish, desk);
    case 'search':
      return search(wish.query, desk);
    case 'mark':
      return mark(wish, desk);
    case 'archive':
      return archive(wish.index, desk);
  }
}

type Wish<K extends NavigatorWish['kind']> = Extract<NavigatorWish, { kind: K }>;

async function go({ index, edit }: Wish<'go'>, { grown, contents, leave }: Desk): Promise<void> {
  const node = await contents.idOf(grown.seqOf(index));
  if (!edit) return leave({ node, edit: null });
  const above = grown.parentOf(index);
  const before = await contents.idOf(grown.seqOf(above === NONE ? index : above));
  leave({ node: before, edit: await contents.textOf(node) });
}

async function goToHit({ node, reveal }: Wish<'go_to_hit'>, desk: Desk): Promise<void> {
  const { client, tree, grown, leave, show, state } = desk;
  const match = (await client.call('loom.node_find', { tree, ref: node })).matches[0];
  if (match === undefined) return show({ ...state(), word: 'That node is not there any more.' });
  if (!reveal) return leave({ node: match.id, edit: null });
  const index = grown.indexOf(match.seq);
  if (index === NONE) return show({ ...state(), word: 'That node stands in an archived branch.' });
  show(revealed({ ...state(), found: null, typing: null }, index));
}

async function search(query: string, { contents, state, show }: Desk): Promise<void> {
  const hits = await contents.search(query);
  // Somebody who types on has asked for something else meanwhile.
  if (hits === null || state().typing?.text.trim() !== query) return;
  show({ ...state(), found: { query, hits, selected: 0 } });
}

async function mark(
  { index, name }: Wish<'mark'>,
  { client, tree, grown, contents, state, show }: Desk,
): Promise<void> {
  await client.call('loom.mark_set', { tree, name, node: await contents.idOf(grown.seqOf(index)) });
  const marks = await contents.marks();
  show(listed({ ...state(), marks, word: `Marked: ${name}` }));
}

async function archive(index: number, { client, tree, grown, contents, state, show }: Desk): Promise<void> {
  const node = await contents.idOf(grown.seqOf(index));
  await client.call('loom.branch_archive', { tree, node });
  grown.archive(index);
  const word = `Archived. To show it again: cognition restore ${tree.slice(0, 8)} ${node.slice(0, 8)}`;
  show(listed({ ...state(), folded: new Set(state().folded).add(index), word }));
}
