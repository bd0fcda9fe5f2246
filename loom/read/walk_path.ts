import { cursorNumber, oneText, pageJson } from '../paging/page_json.js';
import type { ReadContext } from '../paging/read_context.js';
import { PAGE_BYTES_MAX, SLICE_BYTES, SLICE_NODES, SLICE_ROWS, type Slices } from '../paging/slices.js';
import { nodeNotFound, requireNode } from '../store/require_rows.js';
import { dashed } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { fittingNodes, nodeRows } from './node_rows.js';
import type { ReadParams } from './read_methods.js';

/** A walk reads two small columns of each node. */
const WALK_ROWS = 2_000;

// CROSS JOIN keeps SQLite from scanning the table for each step. A parent has a smaller number than its child, so that the
// walk ends in a damaged database too.
export const WALK_UP = `
  WITH RECURSIVE up (seq, parent) AS (
    SELECT seq, parent FROM nodes WHERE seq = ?
    UNION ALL
    SELECT n.seq, n.parent FROM up CROSS JOIN nodes n ON n.seq = up.parent AND n.seq < up.seq
    LIMIT ${WALK_ROWS}
  )
  SELECT seq, parent FROM up`;

export const HANDLES_AT = `
  SELECT list.key AS at, lower(hex(n.id)) AS id, n.external -> '$.handle' AS handle, n.imported
  FROM json_each(?) list CROSS JOIN nodes n ON n.seq = list.value
  WHERE json_valid(n.external)`;

/** The row numbers from the root to a node. */
export function* pathTo(context: ReadContext, seq: number): Slices<readonly number[]> {
  const cached = context.paths.get(seq);
  if (cached !== undefined) return cached;
  const upwards: number[] = [];
  let above: readonly number[] = [];
  let next: number | null = seq;
  while (next !== null) {
    const cached = context.paths.get(next);
    if (cached !== undefined) {
      above = cached;
      break;
    }
    next = climb(context.store, next, upwards);
    yield;
  }
  const path = above.concat(upwards.reverse());
  context.paths.put(seq, path);
  return path;
}

function climb(store: Store, from: number, upwards: number[]): number | null {
  const rows = store.all<{ seq: number; parent: number | null }>(WALK_UP, from);
  for (const row of rows) upwards.push(row.seq);
  return rows.length < WALK_ROWS ? null : (rows.at(-1)?.parent ?? null);
}

export function* getPath(context: ReadContext, params: ReadParams['loom.context_get_path']): Slices<string> {
  const path = yield* pathTo(context, requireNode(context.store, params.node).seq);
  const first = cursorNumber(params.cursor, params.from_depth ?? 0);
  const end = Math.min(path.length, first + params.limit);
  const nodes: string[] = [];
  let at = first;
  let bytes = 0;
  while (at < end && bytes < PAGE_BYTES_MAX) {
    const next = path.slice(at, Math.min(end, at + SLICE_NODES));
    const room = PAGE_BYTES_MAX - bytes;
    const fitting = fittingNodes(context.store, next, Math.min(room, SLICE_BYTES));
    // A node that is larger than a slice has one for itself.
    const seqs =
      fitting.length === 0 ? fittingNodes(context.store, next.slice(0, 1), at === first ? Infinity : room) : fitting;
    if (seqs.length === 0) break;
    const rows = nodeRows(context.store, seqs);
    if (rows.length < seqs.length) throw nodeNotFound(params.node);
    const slice = oneText(rows.map(context.sound.json));
    bytes += slice.length;
    nodes.push(slice);
    at += seqs.length;
    yield;
  }
  return pageJson('nodes', nodes, at < path.length ? at : null);
}

export function* getHandles(context: ReadContext, params: ReadParams['loom.context_get_handles']): Slices<string> {
  const path = yield* pathTo(context, requireNode(context.store, params.node).seq);
  const handles: string[] = [];
  let at = cursorNumber(params.cursor, 0);
  let bytes = 0;
  while (at < path.length && handles.length < params.limit && bytes < PAGE_BYTES_MAX) {
    const next = path.slice(at, at + SLICE_ROWS);
    const fitting = fittingNodes(context.store, next, PAGE_BYTES_MAX);
    const slice = fitting.length === 0 ? next.slice(0, 1) : fitting;
    const damaged = context.sound.damagedAmong(context.store, slice);
    const rows = context.store
      .all<HandleRow>(HANDLES_AT, JSON.stringify(slice))
      .filter((row) => !damaged.has(slice[row.at] ?? 0));
    const rowsOnPage = rows.slice(0, params.limit - handles.length);
    for (const row of rowsOnPage) {
      const json = `{"node":"${dashed(row.id)}","handle":${row.handle},"imported":${row.imported === 1}}`;
      bytes += json.length;
      handles.push(json);
    }
    const last = rowsOnPage.at(-1);
    at += rowsOnPage.length < rows.length && last !== undefined ? last.at + 1 : slice.length;
    yield;
  }
  return pageJson('handles', handles, at < path.length ? at : null);
}

/** `at` is the index in the slice. */
interface HandleRow {
  at: number;
  id: string;
  handle: string;
  imported: number;
}
