import { cliCommand } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { ARCHIVE_BRANCH } from '../store/row_sums.js';
import { dashed } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { changeTree } from './change_trees.js';
import { currentTreeJson, requireNodeInTree, requireOpenTree, type StoredNode, type TreeKey } from './find_rows.js';
import { sealTree } from './tree_counters.js';
import { invalid, type WriteOp } from './write_operation.js';

export const archiveBranch: WriteOp<ParsedOf<'loom.branch_archive'>> = (context, { tree, node }) => {
  const { store } = context;
  const row = requireOpenTree(store, tree);
  const top = requireStepStart(store, row, node);
  if (top.parent === null) {
    throw invalid('the root is not a branch', [
      'to hide the whole tree, run: ',
      cliCommand('delete', tree.slice(0, 8)),
    ]);
  }
  const added = store.run(ARCHIVE_BRANCH, top.seq, row.tree, context.atMs);
  if (added > 0) {
    changeTree(context, row, { kind: 'branch_archived', fields: `"tree":"${tree}","node":"${dashed(top.id)}"` });
    recountBranches(store, row.tree);
  }
  return currentTreeJson(store, tree);
};

export const restoreBranch: WriteOp<ParsedOf<'loom.branch_restore'>> = (context, { tree, node }) => {
  const { store } = context;
  const row = requireOpenTree(store, tree);
  const top = requireStepStart(store, row, node);
  const removed = store.run('DELETE FROM archived_rows WHERE node = ?', top.seq);
  if (removed > 0) {
    changeTree(context, row, { kind: 'branch_restored', fields: `"tree":"${tree}","node":"${dashed(top.id)}"` });
    recountBranches(store, row.tree);
  }
  return currentTreeJson(store, tree);
};

/** A node, or the first of its step: a step is archived whole. Its first node has the step's own id. */
export function requireStepStart(store: Store, tree: TreeKey, node: string): StoredNode {
  const existing = requireNodeInTree(store, tree, node);
  return existing.step === null ? existing : requireNodeInTree(store, tree, dashed(existing.step));
}

/** Counts the visible nodes that have no visible child. */
function countBranches(store: Store, tree: number): number {
  const row = store.get<{ branches: number }>(
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
  return row?.branches ?? 0;
}

export function recountBranches(store: Store, tree: number): void {
  store.run('UPDATE trees SET branch_count = ? WHERE tree = ?', countBranches(store, tree), tree);
  sealTree(store, tree);
}
