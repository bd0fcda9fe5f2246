import { cursorNumber, limitedPageJson } from '../paging/page_json.js';
import type { ReadContext } from '../paging/read_context.js';
import type { ReadParams } from '../read/read_methods.js';
import { requireTree } from '../store/require_rows.js';
import { dashed } from '../store/rows.js';

interface NotedRow {
  snapshot: number;
  node: string;
  folder: string;
  root: string;
  moment: string;
  at_ms: number;
}

/** Where somebody stood, and what lay in a folder beside, is of this machine. */
const NOTED = `SELECT s.snapshot, lower(hex(n.id)) AS node, lower(hex(s.folder)) AS folder, lower(hex(s.root)) AS root,
  s.kind AS moment, s.at_ms FROM snapshots s CROSS JOIN nodes n ON n.seq = s.node
  WHERE s.tree = ? AND s.snapshot > ? AND s.kind IN ('before', 'after', 'left', 'copied') ORDER BY s.snapshot LIMIT ?`;

export function listSnapshots({ store }: ReadContext, params: ReadParams['loom.snapshot_list']): string {
  const { tree } = requireTree(store, params.tree);
  const { cursor, limit } = params;
  return limitedPageJson('snapshots', store.all<NotedRow>(NOTED, tree, cursorNumber(cursor, 0), limit + 1), {
    limit,
    json: ({ snapshot: _snapshot, ...row }) => JSON.stringify({ ...row, node: dashed(row.node) }),
    cursorOf: ({ snapshot }) => snapshot,
  });
}
