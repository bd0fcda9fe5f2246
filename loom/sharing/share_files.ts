import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ReadContext } from '../paging/read_context.js';
import type { ReadParams } from '../read/read_methods.js';
import { requireTree } from '../store/require_rows.js';
import { dashed, idBlob } from '../store/rows.js';
import type { WriteOp } from '../write/write_operation.js';

const ROWS_MAX = 1_000;

interface NotedRow {
  snapshot: number;
  node: string;
  root: string;
  moment: string;
  at_ms: number;
  isSent: number;
}

/** What a person has left at a node, and where somebody stood, is nobody else's. */
const NOTED = `SELECT s.snapshot, lower(hex(n.id)) AS node, lower(hex(s.root)) AS root, s.kind AS moment, s.at_ms,
  n.seq <= (SELECT sent FROM shares h WHERE h.tree = s.tree AND h.remote = ?) AS isSent
  FROM snapshots s CROSS JOIN nodes n ON n.seq = s.node
  WHERE s.tree = ? AND s.folder = ? AND s.snapshot > ? AND s.kind IN ('before', 'after', 'copied')
  ORDER BY s.snapshot LIMIT ${ROWS_MAX + 1}`;

/** Which files nodes have that a remote knows. */
export function readSharedFiles({ store }: ReadContext, params: ReadParams['loom.share_files_read']): string {
  const { tree } = requireTree(store, params.tree);
  const rows = store.all<NotedRow>(NOTED, params.remote, tree, idBlob(params.folder), params.after);
  const unsent = rows.findIndex(({ isSent }) => isSent !== 1);
  const known = unsent < 0 ? rows : rows.slice(0, unsent);
  const page = known.slice(0, ROWS_MAX);
  const notes = page.map(({ node, root, moment, at_ms }) => ({ node: dashed(node), root, moment, at_ms }));
  return JSON.stringify({ notes, to: page.at(-1)?.snapshot ?? params.after, more: known.length > ROWS_MAX });
}

export const setSharedFiles: WriteOp<ParsedOf<'loom.share_files_set'>> = ({ store }, { remote, tree, files }) => {
  const row = requireTree(store, tree);
  const changed = store.run(
    'UPDATE shares SET project = ?, files_sent = ?, files_fetched = ? WHERE tree = ? AND remote = ?',
    ...[files?.project ?? null, files?.sent ?? 0, files?.fetched ?? 0, row.tree, remote],
  );
  return `{"set":${changed > 0}}`;
};
