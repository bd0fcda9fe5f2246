import { cursorNumber, oneText, pageJson } from '../paging/page_json.js';
import type { ReadContext } from '../paging/read_context.js';
import { PAGE_BYTES_MAX, SLICE_BYTES, SLICE_NODES, type Slices } from '../paging/slices.js';
import { findNodeKey, requireNode } from '../store/require_rows.js';
import { fittingNodes, nodeRows } from './node_rows.js';
import type { ReadParams } from './read_methods.js';

const CHILD_SEQS = `
  SELECT n.seq FROM nodes n WHERE n.parent = ? AND n.seq > ?
    AND (? OR NOT EXISTS (SELECT 1 FROM archived_branches a WHERE a.node = n.seq)) ORDER BY n.seq LIMIT ?`;

/** Whole nodes by their ids; the cursor is how many of the ids are done. */
export function* getNodes(context: ReadContext, params: ReadParams['loom.node_get_many']): Slices<string> {
  const first = cursorNumber(params.cursor, 0);
  const ids = params.nodes.slice(first);
  const seqs = ids.map((id) => findNodeKey(context.store, id)?.seq ?? null);
  const known = seqs.flatMap((seq, at) => (seq === null ? [] : [{ seq, at }]));
  const { nodes, count } = yield* wholeNodes(
    context,
    known.map(({ seq }) => seq),
  );
  const done = known[count]?.at ?? ids.length;
  const missing = ids.slice(0, done).filter((_, at) => seqs[at] === null);
  const next = first + done < params.nodes.length ? `"${first + done}"` : 'null';
  return `{"nodes":[${nodes.join(',')}],"missing":${JSON.stringify(missing)},"cursor":${next}}`;
}

/** The children of a node, whole, oldest first. */
export function* readChildren(context: ReadContext, params: ReadParams['loom.node_read_children']): Slices<string> {
  const { seq } = requireNode(context.store, params.node);
  const after = cursorNumber(params.cursor, 0);
  const rows = context.store.all<{ seq: number }>(CHILD_SEQS, seq, after, params.archived ? 1 : 0, params.limit + 1);
  const seqs = rows.slice(0, params.limit).map((row) => row.seq);
  const { nodes, count } = yield* wholeNodes(context, seqs);
  const hasMore = count < rows.length;
  return pageJson('nodes', nodes, hasMore ? (seqs[count - 1] ?? after) : null);
}

/** As many of these nodes as fit a page, at least one, in slices. */
function* wholeNodes(context: ReadContext, seqs: readonly number[]): Slices<{ nodes: string[]; count: number }> {
  const nodes: string[] = [];
  let count = 0;
  let bytes = 0;
  while (count < seqs.length && bytes < PAGE_BYTES_MAX) {
    const next = seqs.slice(count, count + SLICE_NODES);
    const room = PAGE_BYTES_MAX - bytes;
    const fitting = fittingNodes(context.store, next, Math.min(room, SLICE_BYTES));
    // A node that is larger than a slice has one for itself.
    const slice =
      fitting.length > 0 ? fitting : fittingNodes(context.store, next.slice(0, 1), count === 0 ? Infinity : room);
    if (slice.length === 0) break;
    const text = oneText(nodeRows(context.store, slice).map(context.sound.json));
    nodes.push(text);
    bytes += text.length;
    count += slice.length;
    yield;
  }
  return { nodes, count };
}
