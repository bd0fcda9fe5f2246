import type { Client } from '../../../hub/client/client.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import type { NavigatorAction } from './navigator_keys.js';
import { chosen, listed, type Navigation, revealed, steadied } from './navigator_state.js';
import type { Contents } from './node_lines.js';
import { NONE } from './tree_shape.js';

/** How a person left the navigator: at a node to go to, with what they had said there when they want to say it otherwise. */
export interface NavigatorEnd {
  node: NodeId;
  edit: string | null;
}

/** What wishes are fulfilled with. */
export interface NavigatorParts {
  client: Client;
  tree: TreeId;
  contents: Contents;
  state(): Navigation;
  show(state: Navigation): void;
  leave(end: NavigatorEnd | null): void;
}

/** A search that takes longer is told of. */
const SLOW_MS = 300;

/** Does what the navigator cannot do by itself. */
export async function performNavigatorAction(wish: NavigatorAction, desk: NavigatorParts): Promise<void> {
  switch (wish.kind) {
    case 'leave':
      return desk.leave(null);
    case 'go':
      return go(wish, desk);
    case 'go_to_hit':
      return goToHit(wish, desk);
    case 'reveal':
      return reveal(wish, desk);
    case 'search':
      return search(wish.query, desk);
    case 'mark':
      return mark(wish, desk);
    case 'archive':
      return archive(wish, desk);
    case 'restore':
      return restore(wish, desk);
  }
}

type ActionOf<K extends NavigatorAction['kind']> = Extract<NavigatorAction, { kind: K }>;

async function go({ index, edit }: ActionOf<'go'>, { contents, state, leave }: NavigatorParts): Promise<void> {
  const { grown } = state();
  const node = await contents.idOf(grown.seqOf(index));
  if (!edit) return leave({ node, edit: null });
  const above = grown.parentOf(index);
  const before = await contents.idOf(grown.seqOf(above === NONE ? index : above));
  leave({ node: before, edit: await contents.textOf(node) });
}

async function goToHit({ node }: ActionOf<'go_to_hit'>, desk: NavigatorParts): Promise<void> {
  const match = await matchOf(node, desk);
  if (match !== null) desk.leave({ node: match.id, edit: null });
}

async function reveal({ found }: ActionOf<'reveal'>, desk: NavigatorParts): Promise<void> {
  const { show, state } = desk;
  const match = await matchOf(found.hits[found.selected]?.node ?? '', desk);
  if (match === null) return;
  const before = { ...state(), found: null, typing: null, trail: found };
  const index = before.grown.indexOf(match.seq);
  if (index === NONE) return show({ ...before, word: 'That node stands in an archived branch.' });
  const word = `${found.selected + 1} of ${found.hits.length} found: n and N show the others.`;
  show({ ...revealed(before, index), word });
}

async function matchOf(node: string, { client, tree, show, state }: NavigatorParts) {
  const match = (await client.call('loom.node_find', { tree, ref: node })).matches[0];
  if (match === undefined) show({ ...state(), word: 'That node is not there any more.' });
  return match ?? null;
}

async function search(query: string, desk: NavigatorParts): Promise<void> {
  const { contents, state, show } = desk;
  const hits = await tellingSlow(desk, contents.search(query), query);
  const { typing } = state();
  // Somebody who types on has asked for something else meanwhile.
  if (hits === null || typing === null || typing.text.trim() !== query) return;
  const found = { query, hits, selected: 0 };
  show({ ...state(), typing: { ...typing, awaited: null }, found, word: null });
  const [first] = hits;
  if (first === undefined || typing.awaited === null) return;
  if (typing.awaited === 'reveal') return reveal({ kind: 'reveal', found }, desk);
  return goToHit({ kind: 'go_to_hit', node: first.node }, desk);
}

/** The first search of a large tree has to wait until all of it can be searched. */
async function tellingSlow<T>({ state, show }: NavigatorParts, searched: Promise<T>, query: string): Promise<T> {
  const timer = setTimeout(() => {
    if (state().typing?.text.trim() === query) show({ ...state(), word: 'searching…' });
  }, SLOW_MS);
  try {
    return await searched;
  } finally {
    clearTimeout(timer);
  }
}

async function mark(
  { index, name }: ActionOf<'mark'>,
  { client, tree, contents, state, show }: NavigatorParts,
): Promise<void> {
  const seq = state().grown.seqOf(index);
  await client.call('loom.mark_set', { tree, name, node: await contents.idOf(seq) });
  const marks = await contents.marks();
  show({ ...steadied(state(), { ...state(), marks }), word: `Marked: ${name}` });
}

async function archive(
  { index }: ActionOf<'archive'>,
  { client, tree, contents, state, show }: NavigatorParts,
): Promise<void> {
  const { grown } = state();
  const node = await contents.idOf(grown.seqOf(index));
  await client.call('loom.branch_archive', { tree, node });
  grown.setArchived(index, true);
  const word = `Archived. x takes that back; later: cognition restore ${tree.slice(0, 8)} ${node.slice(0, 8)}`;
  show({ ...listed(chosen(state(), index)), word });
}

async function restore(
  { index }: ActionOf<'restore'>,
  { client, tree, contents, state, show }: NavigatorParts,
): Promise<void> {
  const { grown } = state();
  await client.call('loom.branch_restore', { tree, node: await contents.idOf(grown.seqOf(index)) });
  grown.setArchived(index, false);
  show({ ...listed(chosen(state(), index)), word: 'Not archived any more.' });
}
