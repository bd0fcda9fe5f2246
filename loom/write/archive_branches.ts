import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { Store } from '../store/store.js';
import { changeTree } from './change_trees.js';
import { nodeInTree, openTree, treeJsonNow } from './stored_rows.js';
import { invalid, type WriteOp } from './write_operation.js';

export const archiveBranch: WriteOp<ParsedOf<'loom.branch_archive'>> = (writing, { tree, node }) => {
  const { store } = writing;
  const row = openTree(store, tree);
  const top = nodeInTree(store, row, node);
  if (top.parent === null) {
    throw invalid('the root is not a branch', `to hide the whole tree, run: cognition delete ${tree.slice(0, 8)}`);
  }
  const added = store.run(
    'INSERT INTO archived_branches (node, tree, archived_at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ...[top.seq, row.tree, writing.atMs],
  );
  if (added > 0) {
    changeTree(writing, row, { kind: 'branch_archived', fields: `"tree":"${tree}","node":"${node}"` });
    recountBranches(store, row.tree);
  }
  return treeJsonNow(store, tree);
};

export const restoreBranch: WriteOp<ParsedOf<'loom.branch_restore'>> = (writing, { tree, node }) => {
  const { store } = writing;
  const row = openTree(store, tree);
  const top = nodeInTree(store, row, node);
  const removed = store.run('DELETE FROM archived_branches WHERE node = ?', top.seq);
  if (removed > 0) {
    changeTree(writing, row, { kind: 'branch_restored', fields: `"tree":"${tree}","node":"${node}"` });
    recountBranches(store, row.tree);
  }
  return treeJsonNow(store, tree);
};

/** Counts the visible nodes that have no visible child. */
function countBranches(store: Store, tree: number): number {
  const counted = store.get<{ branches: number }>(
    `WITH RECURSIVE hidden (seq) AS (
       SELECT node FROM archived_branches WHERE tree = ?
       UNION SELECT n.seq FROM hidden CROSS JOIN nodes n ON n.parent = hidden.seq
     )
     SELECT count(*) AS branches FROM nodes n
     WHERE n.tree = ? AND n.seq NOT IN (SELECT seq FROM hidden)
       AND NOT EXISTS (SELECT 1 FROM nodes c WHERE c.parent = n.seq AND c.seq NOT IN (SELECT seq FROM hidden))`,
    tree,
    tree,
  );
  return counted?.branches ?? 0;
}

export function recountBranches(store: Store, tree: number): void {
  store.run('UPDATE trees SET branch_count = ? WHERE tree = ?', countBranches(store, tree), tree);
}
