import { fullId, idRange } from '../paging/id_range.js';
import type { ReadContext } from '../paging/read_context.js';
import { SLICE_ROWS, type Slices } from '../paging/slices.js';
import { checkedTreeJson } from '../store/damaged_row.js';
import { dashed, idBlob, TREE_COLUMNS, type TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import type { ReadParams } from './read_methods.js';
import { isNear, NEAR_DIGITS, NEAR_MAX, NEAR_SCAN_MAX } from './similar_names.js';

const MATCHES_MAX = 20;

export function* findTrees({ store }: ReadContext, params: ReadParams['loom.tree_find']): Slices<string> {
  const ref = params.ref;
  const matches = treesById(store, ref) ?? (yield* treesByName(store, ref)) ?? treesByPrefix(store, ref);
  const near = matches.length === 0 ? yield* nearTrees(store, ref) : [];
  return `{"matches":[${matches.map(checkedTreeJson).join(',')}],"near":${JSON.stringify(near)}}`;
}

function treesById(store: Store, ref: string): TreeRow[] | null {
  const id = ref.toLowerCase();
  if (!fullId.test(id)) return null;
  const sql = `SELECT ${TREE_COLUMNS} FROM trees t WHERE t.id = ? AND t.importing = 0`;
  const rows = store.all<TreeRow>(sql, idBlob(id));
  return rows.length === 0 ? null : rows;
}

/** Unarchived trees have unique names; archived ones may share theirs. */
function* treesByName(store: Store, ref: string): Slices<TreeRow[] | null> {
  const sql = `SELECT ${TREE_COLUMNS} FROM trees t
    WHERE t.name = ? AND t.archived_at_ms IS NULL AND t.importing = 0`;
  const named = store.all<TreeRow>(sql, ref);
  if (named.length > 0) return named;
  const archived: TreeRow[] = [];
  for (const slice of newestTrees(store, Number.POSITIVE_INFINITY)) {
    archived.push(...slice.filter((tree) => tree.name === ref));
    yield;
  }
  return archived.length === 0 ? null : archived.slice(0, MATCHES_MAX);
}

function treesByPrefix(store: Store, ref: string): TreeRow[] {
  const range = idRange(ref);
  if (range === null) return [];
  return store.all<TreeRow>(
    `SELECT ${TREE_COLUMNS} FROM trees t WHERE t.id >= ? AND t.id <= ? AND t.importing = 0
     ORDER BY t.archived_at_ms IS NOT NULL, t.last_seq DESC LIMIT ${MATCHES_MAX}`,
    idBlob(range.from),
    idBlob(range.to),
  );
}

function* nearTrees(store: Store, ref: string): Slices<string[]> {
  const near: string[] = [];
  for (const slice of newestTrees(store, NEAR_SCAN_MAX)) {
    for (const tree of slice) if (tree.name !== null && isNear(ref, tree.name)) near.push(tree.name);
    if (near.length >= NEAR_MAX) return near.slice(0, NEAR_MAX);
    yield;
  }
  const similarIds = treesByPrefix(store, ref.slice(0, NEAR_DIGITS)).map((tree) => dashed(tree.id));
  return [...near, ...similarIds].slice(0, NEAR_MAX);
}

/** Trees in slices, newest activity first, up to `rowsMax`. */
function* newestTrees(store: Store, rowsMax: number): Generator<TreeRow[], void> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let seen = 0; seen < rowsMax; seen += SLICE_ROWS) {
    const slice = store.all<TreeRow>(
      `SELECT ${TREE_COLUMNS} FROM trees t WHERE t.last_seq < ? ORDER BY t.last_seq DESC LIMIT ${SLICE_ROWS}`,
      before,
    );
    yield slice.filter((tree) => tree.importing === 0);
    if (slice.length < SLICE_ROWS) return;
    before = slice.at(-1)?.last_seq ?? 0;
  }
}
