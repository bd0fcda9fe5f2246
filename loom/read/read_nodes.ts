import { cursorNumber, oneText, pageJson } from '../paging/page_json.js';
import type { ReadContext } from '../paging/read_context.js';
import { SLICE_ROWS, type Slices } from '../paging/slices.js';
import { isReordered, SIBLING_ORDER, siblingRanks } from '../registers/sibling_order.js';
import { listedJson } from '../store/damaged_row.js';
import { findNodeRow, requireNode, requireNodeOfTree, requireTree } from '../store/require_rows.js';
import { HAS_META, idBlob, SKELETON_COLUMNS, type SkeletonRow } from '../store/rows.js';
import { stepEnd } from '../store/step_end.js';
import type { Store } from '../store/store.js';
import type { ReadParams } from './read_methods.js';

export const CHILD_COUNT = 'SELECT count(*) AS count FROM nodes WHERE parent = ?';
export const CHILDREN_AFTER = `
  SELECT ${SKELETON_COLUMNS} FROM nodes n WHERE n.parent = ? AND n.seq > ? ORDER BY n.seq LIMIT ${SLICE_ROWS}`;
// The same by when they were made; the cursor is still a `seq`. All children are sorted, so it serves reordered parents alone.
const ORDERED_CHILDREN_AFTER = `
  SELECT ${SKELETON_COLUMNS} FROM nodes n WHERE n.parent = ?
    AND (${SIBLING_ORDER}) > (SELECT created_at_ms, id FROM nodes WHERE seq = ? UNION ALL SELECT -1, x'' LIMIT 1)
  ORDER BY ${SIBLING_ORDER} LIMIT ${SLICE_ROWS}`;
export const SKELETON_AFTER = `
  SELECT ${SKELETON_COLUMNS} FROM nodes n WHERE n.tree = ? AND n.seq > ? ORDER BY n.seq LIMIT ?`;

/** The same for nodes with something that a program says of them. */
export const SKELETON_WITH_META = `
  SELECT ${SKELETON_COLUMNS} FROM nodes n INDEXED BY nodes_with_meta
  WHERE n.tree = ? AND n.seq > ? AND n.meta IS NOT NULL AND ${HAS_META} ORDER BY n.seq LIMIT ?`;

export function getNode({ store, sound }: ReadContext, params: ReadParams['loom.node_get']): string {
  const { seq } =
    params.tree === null ? requireNode(store, params.node) : requireNodeOfTree(store, params.node, params.tree);
  const row = findNodeRow(store, seq);
  if (row === undefined) throw new Error(`node ${seq} went away within one read`);
  const count = store.get<{ count: number }>(CHILD_COUNT, seq)?.count ?? 0;
  // Where a damaged node says that its step ends is not to be believed.
  const end = sound.isSound(row) ? stepEnd(store, row) : params.node;
  const isImported = store.get<{ imported: number }>('SELECT imported FROM nodes WHERE seq = ?', seq)?.imported === 1;
  return `{"node":${sound.json(row)},"step_end":"${end}","child_count":${count},"imported":${isImported}}`;
}

/** Without `archived`, the tops of archived branches are left out; children below such a top are listed. */
export function* getChildren(context: ReadContext, params: ReadParams['loom.node_get_children']): Slices<string> {
  const { seq } = requireNode(context.store, params.node);
  const sql = isReordered(context.store, seq) ? ORDERED_CHILDREN_AFTER : CHILDREN_AFTER;
  const read = (after: number) => context.store.all<SkeletonRow>(sql, seq, after);
  return yield* pageOfSkeletons('children', params, {
    read,
    isShown: (row) => params.archived || row.archived === 0,
  });
}

/** Parents precede their children, as in the feed. */
export function* getSkeleton(context: ReadContext, params: ReadParams['loom.tree_get_skeleton']): Slices<string> {
  const { tree } = requireTree(context.store, params.tree);
  const hidden = params.archived ? new Set() : yield* context.hidden.nodesOf(context.store, tree);
  const wanted = params.meta === null ? null : JSON.stringify(params.meta);
  const read = (after: number): SkeletonRow[] =>
    wanted === null
      ? context.store.all<SkeletonRow>(SKELETON_AFTER, tree, after, SLICE_ROWS)
      : context.store.all<SkeletonRow>(SKELETON_WITH_META, tree, after, wanted, wanted, SLICE_ROWS);
  const page = yield* pageOfSkeletons('nodes', params, { read, isShown: (row) => !hidden.has(row.seq) });
  // Text that was put together is not parsed again.
  const ranks = page.endsWith('"cursor":null}') ? siblingRanks(context.store, tree) : [];
  return `${page.slice(0, -1)},"ranks":[${ranks.join()}]}`;
}

interface SkeletonSource {
  /** The next rows, `SLICE_ROWS` of them unless there are no more. */
  read(after: number): SkeletonRow[];
  isShown(row: SkeletonRow): boolean;
}

function* pageOfSkeletons(
  key: string,
  params: { cursor: string | null; limit: number },
  source: SkeletonSource,
): Slices<string> {
  const slices: string[] = [];
  let count = 0;
  let after: number | null = cursorNumber(params.cursor, 0);
  while (after !== null) {
    const rows = source.read(after);
    const shown = rows.filter(source.isShown);
    const taken = shown.slice(0, params.limit - count);
    if (taken.length > 0) slices.push(oneText(taken.map(listedJson)));
    count += taken.length;
    if (taken.length < shown.length) return pageJson(key, slices, taken.at(-1)?.seq ?? after);
    after = rows.length < SLICE_ROWS ? null : (rows.at(-1)?.seq ?? null);
    yield;
  }
  return pageJson(key, slices, null);
}

/** A node as a list row, by its number. */
export function skeletonRow(store: Store, seq: number): SkeletonRow | undefined {
  return store.get<SkeletonRow>(`SELECT ${SKELETON_COLUMNS} FROM nodes n WHERE n.seq = ?`, seq);
}

/** The nodes whose ids lie between two, in the order of their ids. */
export function skeletonsBetween(
  store: Store,
  range: { from: string; to: string; limit: number },
): (SkeletonRow & { tree: number })[] {
  return store.all<SkeletonRow & { tree: number }>(
    `SELECT ${SKELETON_COLUMNS}, n.tree FROM nodes n WHERE n.id >= ? AND n.id <= ? ORDER BY n.id LIMIT ?`,
    idBlob(range.from),
    idBlob(range.to),
    range.limit,
  );
}
