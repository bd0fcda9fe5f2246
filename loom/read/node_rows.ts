import { SLICE_NODES } from '../paging/slices.js';
import { withTrueDepth } from '../store/require_rows.js';
import { NODE_COLUMNS, type NodeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';

const BYTES = 'octet_length(n.blocks) + coalesce(octet_length(n.external), 0) AS bytes';
// CROSS JOIN keeps the order of the list and looks each node up by its number.
export const SIZES_AT = `SELECT ${BYTES} FROM json_each(?) list CROSS JOIN nodes n ON n.seq = list.value`;
export const NODES_AT = `SELECT ${NODE_COLUMNS} FROM json_each(?) list CROSS JOIN nodes n ON n.seq = list.value`;

/** The first of these nodes that fit into `bytesMax`. Sizes are read without the texts. */
export function fittingNodes(store: Store, seqs: readonly number[], bytesMax: number): readonly number[] {
  let bytes = 0;
  const sizes = store.all<{ bytes: number }>(SIZES_AT, JSON.stringify(seqs));
  const tooMany = sizes.findIndex((row) => {
    bytes += row.bytes;
    return bytes > bytesMax;
  });
  return tooMany === -1 ? seqs : seqs.slice(0, tooMany);
}

/** These nodes, whole and in this order. */
export function nodeRows(store: Store, seqs: readonly number[]): NodeRow[] {
  return store.all<NodeRow>(NODES_AT, JSON.stringify(seqs)).map((row) => withTrueDepth(store, row));
}

/** Nodes with `after < seq <= to`, of one tree (by its row) or of all. */
export interface NodeRange {
  tree: number | null;
  after: number;
  to: number;
}

const WITHIN = 'n.seq > ? AND n.seq <= ? ORDER BY n.seq';
export const SIZES_WITHIN = `SELECT n.seq, ${BYTES} FROM nodes n WHERE ${WITHIN} LIMIT ${SLICE_NODES}`;
export const SIZES_OF_TREE = `SELECT n.seq, ${BYTES} FROM nodes n WHERE n.tree = ? AND ${WITHIN} LIMIT ${SLICE_NODES}`;

/** The end of the next slice of a range: bounded in nodes and bytes, but at least one node. */
export function endOfSlice(store: Store, range: NodeRange, bytesMax: number): number {
  const sizes = rowsWithin<{ seq: number; bytes: number }>(store, range, { all: SIZES_WITHIN, ofTree: SIZES_OF_TREE });
  let end: number | null = null;
  let bytes = 0;
  for (const row of sizes) {
    bytes += row.bytes;
    if (end !== null && bytes > bytesMax) return end;
    end = row.seq;
  }
  return sizes.length < SLICE_NODES ? range.to : (end ?? range.to);
}

/** Selects a range with the statement for one tree or for all. */
export function rowsWithin<Row>(store: Store, range: NodeRange, sql: { all: string; ofTree: string }): Row[] {
  if (range.tree === null) return store.all<Row>(sql.all, range.after, range.to);
  return store.all<Row>(sql.ofTree, range.tree, range.after, range.to);
}
