import type { Client } from '../../../hub/client/client.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { NONE } from '../../web/page/core/node_table.js';
import type { Quiet } from '../editor/keys/quiet.js';
import type { NavigatorAction } from './navigator_keys.js';
import { type Navigation, revealed, withRows, withSelected, withStableScroll } from './navigator_state.js';
import type { Contents } from './node_texts.js';

/** The node to go to, and the text of a message that the person wants to edit. */
export interface NavigatorEnd {
  node: NodeId;
  edit: string | null;
}

/** What actions work with. */
export interface NavigatorParts {
  client: Client;
  tree: TreeId;
  contents: Contents;
  quiet: Quiet;
  state(): Navigation;
  show(state: Navigation): void;
  leave(end: NavigatorEnd | null): void;
}

/** A search that takes longer shows a message. */
const SLOW_MS = 300;

export async function performNavigatorAction(action: NavigatorAction, parts: NavigatorParts): Promise<void> {
  switch (action.kind) {
    case 'leave':
      return parts.leave(null);
    case 'text':
      return;
    case 'go':
      return go(action, parts);
    case 'edit':
      return edit(action, parts);
    case 'go_to_hit':
      return goToHit(action, parts);
    case 'reveal':
      return reveal(action, parts);
    case 'search':
      return search(action.query, parts);
    case 'mark':
      return mark(action, parts);
    case 'archive':
      return archive(action, parts);
    case 'restore':
      return restore(action, parts);
  }
}

type ActionOf<K extends NavigatorAction['kind']> = Extract<NavigatorAction, { kind: K }>;

async function go({ index }: ActionOf<'go'>, { contents, state, leave }: NavigatorParts): Promise<void> {
  leave({ node: await contents.idOf(state().shape.seqOf(index)), edit: null });
}

async function edit({ index }: ActionOf<'edit'>, { contents, state, leave }: NavigatorParts): Promise<void> {
  const { shape } = state();
  const node = await contents.idOf(shape.seqOf(index));
  const above = shape.parentOf(index);
  const before = await contents.idOf(shape.seqOf(above === NONE ? index : above));
  leave({ node: before, edit: await contents.textOf(node) });
}

async function goToHit({ node }: ActionOf<'go_to_hit'>, parts: NavigatorParts): Promise<void> {
  const match = await matchOf(node, parts);
  if (match !== null) parts.leave({ node: match.id, edit: null });
}

async function reveal({ results }: ActionOf<'reveal'>, parts: NavigatorParts): Promise<void> {
  const { show, state } = parts;
  const match = await matchOf(results.hits[results.selected]?.node ?? '', parts);
  if (match === null) return;
  const before = { ...state(), results: null, typing: null, lastResults: results };
  const index = before.shape.indexOf(match.seq);
  if (index === NONE) return show({ ...before, message: 'That node stands in an archived branch.' });
  const message = `${results.selected + 1} of ${results.hits.length} found: n and N show the others.`;
  show({ ...revealed(before, index), message });
}

async function matchOf(node: string, { client, tree, show, state }: NavigatorParts) {
  const match = (await client.call('loom.node_find', { tree, ref: node })).matches[0];
  if (match === undefined) show({ ...state(), message: 'That node is not there any more.' });
  return match ?? null;
}

async function search(query: string, parts: NavigatorParts): Promise<void> {
  const { contents, state, show } = parts;
  const hits = await withSlowNotice(parts, contents.search(query), query);
  const { typing } = state();
  // The query has changed meanwhile.
  if (hits === null || typing === null || typing.text.trim() !== query) return;
  const results = { query, hits, selected: 0 };
  show({ ...state(), typing: { ...typing, awaited: null }, results, message: null });
  const [first] = hits;
  if (first === undefined || typing.awaited === null) return;
  if (typing.awaited === 'reveal') return reveal({ kind: 'reveal', results }, parts);
  return goToHit({ kind: 'go_to_hit', node: first.node }, parts);
}

/** The first search of a large tree has to wait until all of it can be searched. */
async function withSlowNotice<T>({ state, show }: NavigatorParts, searched: Promise<T>, query: string): Promise<T> {
  const timer = setTimeout(() => {
    if (state().typing?.text.trim() === query) show({ ...state(), message: 'searching…' });
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
  const seq = state().shape.seqOf(index);
  await client.call('loom.mark_set', { tree, name, node: await contents.idOf(seq) });
  const marks = await contents.marks();
  show({ ...withStableScroll(state(), { ...state(), marks }), message: `Marked: ${name}` });
}

async function archive(
  { index }: ActionOf<'archive'>,
  { client, tree, contents, state, show }: NavigatorParts,
): Promise<void> {
  const { shape } = state();
  const node = await contents.idOf(shape.seqOf(index));
  await client.call('loom.branch_archive', { tree, node });
  shape.setArchived(index, true);
  const message = `Archived. x takes that back; later: cognition restore ${tree.slice(0, 8)} ${node.slice(0, 8)}`;
  show({ ...withRows(withSelected(state(), index)), message });
}

async function restore(
  { index }: ActionOf<'restore'>,
  { client, tree, contents, state, show }: NavigatorParts,
): Promise<void> {
  const { shape } = state();
  await client.call('loom.branch_restore', { tree, node: await contents.idOf(shape.seqOf(index)) });
  shape.setArchived(index, false);
  show({ ...withRows(withSelected(state(), index)), message: 'Not archived any more.' });
}
