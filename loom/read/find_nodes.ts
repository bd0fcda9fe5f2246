import { fullId, idRange } from '../paging/id_range.js';
import type { ReadContext } from '../paging/read_context.js';
import { SLICE_ROWS, type Slices } from '../paging/slices.js';
import { listedJson } from '../store/damaged_row.js';
import { requireNodeOfTree, requireTree } from '../store/require_rows.js';
import { dashed, type SkeletonRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import type { ReadParams } from './read_methods.js';
import { skeletonRow, skeletonsBetween } from './read_nodes.js';
import { isNear, NEAR_DIGITS, NEAR_MAX, NEAR_SCAN_MAX } from './similar_names.js';

const MATCHES_MAX = 20;

export function* findNodes({ store }: ReadContext, params: ReadParams['loom.node_find']): Slices<string> {
  const { tree } = requireTree(store, params.tree);
  const matches =
    nodeById(store, params) ?? nodeByMark(store, tree, params.ref) ?? (yield* nodesByPrefix(store, tree, params.ref));
  const near = matches.length === 0 ? yield* nearNodes(store, tree, params.ref) : [];
  return `{"matches":[${matches.map(listedJson).join(',')}],"near":${JSON.stringify(near)}}`;
}

/** Finds a node by its whole id; a node of another tree is an error that names that tree. */
function nodeById(store: Store, params: ReadParams['loom.node_find']): SkeletonRow[] | null {
  const id = params.ref.toLowerCase();
  if (!fullId.test(id)) return null;
  const row = skeletonRow(store, requireNodeOfTree(store, id, params.tree).seq);
  return row === undefined ? null : [row];
}

function nodeByMark(store: Store, tree: number, ref: string): SkeletonRow[] | null {
  const mark = store.get<{ node: number }>('SELECT node FROM marks WHERE tree = ? AND name = ?', tree, ref);
  const row = mark === undefined ? undefined : skeletonRow(store, mark.node);
  return row === undefined ? null : [row];
}

/** The index holds the ids of all trees together, so other trees are skipped in slices. */
function* nodesByPrefix(store: Store, tree: number, ref: string): Slices<SkeletonRow[]> {
  const range = idRange(ref);
  if (range === null) return [];
  const matches: SkeletonRow[] = [];
  for (let from = range.from; matches.length < MATCHES_MAX; yield) {
    const slice = skeletonsBetween(store, { from, to: range.to, limit: SLICE_ROWS });
    matches.push(...slice.filter((row) => row.tree === tree));
    const last = slice.at(-1);
    if (slice.length < SLICE_ROWS || last === undefined) break;
    from = `${last.id}00`;
  }
  return matches.sort((left, right) => right.seq - left.seq).slice(0, MATCHES_MAX);
}

function* nearNodes(store: Store, tree: number, ref: string): Slices<string[]> {
  const names = store.all<{ name: string }>(
    'SELECT name FROM marks WHERE tree = ? ORDER BY name LIMIT ?',
    tree,
    NEAR_SCAN_MAX,
  );
  const near = names.filter((mark) => isNear(ref, mark.name)).map((mark) => mark.name);
  const similarIds = yield* nodesByPrefix(store, tree, ref.slice(0, NEAR_DIGITS));
  return [...near, ...similarIds.map((row) => dashed(row.id))].slice(0, NEAR_MAX);
}
