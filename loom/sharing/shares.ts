import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ReadContext } from '../paging/read_context.js';
import { hubId } from '../registers/hub_id.js';
import { seedRegisters } from '../registers/registers.js';
import { noteSiblingOrders } from '../registers/sibling_order.js';
import { requireTree } from '../store/require_rows.js';
import { idBlob, TREE_COLUMNS, type TreeRow, treeJson } from '../store/rows.js';
import type { Store } from '../store/store.js';
import type { WriteOp } from '../write/write_operation.js';

/** More nodes than this that are not sent are not counted. */
const COUNTED_MAX = 1_000;

// Files of a sub-session go along where those of its owner do.
const PROJECT_OF_OWNER = `SELECT s.project FROM trees t JOIN trees o ON o.id = t.owner_tree
  JOIN shares s ON s.tree = o.tree WHERE t.tree = ? AND s.remote = ?`;

/** Notes how far a tree has been taken over, each way; neither goes back. */
export function putShare(store: Store, tree: number, share: { remote: string; sent: number; fetched: number }): void {
  if (store.get('SELECT 1 FROM shares WHERE tree = ? LIMIT 1', tree) === undefined) noteSiblingOrders(store, tree);
  store.run(
    `INSERT INTO shares (tree, remote, sent, fetched, project) VALUES (?, ?, ?, ?, (${PROJECT_OF_OWNER})) ON CONFLICT DO UPDATE
       SET sent = max(sent, excluded.sent), fetched = max(fetched, excluded.fetched)`,
    ...[tree, share.remote, share.sent, share.fetched, tree, share.remote],
  );
}

export const setShare: WriteOp<ParsedOf<'loom.share_set'>> = ({ store }, { remote, tree, sent, fetched }) => {
  const row = requireTree(store, tree);
  seedRegisters(store, row);
  putShare(store, row.tree, { remote, sent, fetched });
  return `{"hub":"${hubId(store)}"}`;
};

export const removeShare: WriteOp<ParsedOf<'loom.share_remove'>> = ({ store }, { remote, tree }) => {
  const row = requireTree(store, tree);
  const removed = store.run('DELETE FROM shares WHERE tree = ? AND remote = ?', row.tree, remote);
  if (store.get('SELECT 1 FROM shares WHERE tree = ?', row.tree) === undefined)
    store.run('DELETE FROM registers WHERE tree = ?', row.tree);
  return `{"removed":${removed > 0}}`;
};

const NODES_UNSENT = `SELECT count(*) AS count FROM (SELECT 1 FROM nodes WHERE tree = ? AND seq > ? LIMIT ${COUNTED_MAX})`;

/** What is not at the remote: a decision about a name or a mark counts as one. */
function toSend(store: Store, { tree, last_seq, sent }: { tree: number; last_seq: number; sent: number }): number {
  if (last_seq <= sent) return 0;
  return Math.max(1, store.get<{ count: number }>(NODES_UNSENT, tree, sent)?.count ?? 0);
}

interface ShareRow {
  remote: string;
  sent: number;
  fetched: number;
  shared_project: string | null;
  files_sent: number;
  files_fetched: number;
}

function filesJson({ shared_project: project, files_sent: sent, files_fetched: fetched }: ShareRow): string {
  return JSON.stringify(project === null ? null : { project, sent, fetched });
}

export function listShares({ store }: ReadContext, { remote, tree }: ParsedOf<'loom.share_list'>): string {
  const rows = store.all<TreeRow & ShareRow>(
    `SELECT ${TREE_COLUMNS}, s.remote, s.sent, s.fetched, s.project AS shared_project, s.files_sent, s.files_fetched
     FROM shares s JOIN trees t ON t.tree = s.tree
     WHERE s.remote = coalesce(?, s.remote) AND (? IS NULL OR t.id = ?) ORDER BY t.last_seq DESC`,
    ...[remote, tree, tree === null ? null : idBlob(tree)],
  );
  const shares = rows.map(
    (row) =>
      `{"remote":${JSON.stringify(row.remote)},"tree":${treeJson(row)},"sent":${row.sent},"fetched":${row.fetched},` +
      `"to_send":${toSend(store, row)},"files":${filesJson(row)}}`,
  );
  return `{"hub":"${hubId(store)}","shares":[${shares.join(',')}]}`;
}
