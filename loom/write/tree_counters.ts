import { titleOf } from '../store/node_preview.js';
import { treeSum } from '../store/row_sums.js';
import { TREE_COLUMNS, type TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import type { NodeCounts } from './write_operation.js';

interface Sum {
  seq: number;
  nodes: number;
  messages: number;
  branches: number;
  title: string;
}

/** The counters of trees, summed while a transaction runs: a tree's row is written once, not for every node. */
export interface TreeCounters {
  add(tree: number, counts: NodeCounts): void;
  /** Writes the sums: before the commit, and before an operation reads a tree's row. */
  write(store: Store, atMs: number): void;
  /** Writes the checksums of the rows that were written: once, before the commit. */
  seal(store: Store): void;
}

export function createTreeCounters(): TreeCounters {
  const sums = new Map<number, Sum>();
  const written = new Set<number>();
  return {
    add(tree, counts) {
      const sum = sums.get(tree) ?? { seq: 0, nodes: 0, messages: 0, branches: 0, title: '' };
      sum.seq = counts.seq;
      sum.nodes += 1;
      sum.messages += counts.isMessage ? 1 : 0;
      sum.branches += counts.opensBranch ? 1 : 0;
      if (sum.title === '') sum.title = titleOf(counts.words);
      sums.set(tree, sum);
    },
    write(store, atMs) {
      for (const [tree, sum] of sums) {
        store.run(
          `UPDATE trees SET last_seq = max(last_seq, ?), updated_at_ms = ?, node_count = node_count + ?,
             message_count = message_count + ?, branch_count = branch_count + ?, row_sum = NULL,
             title = CASE title WHEN '' THEN ? ELSE title END WHERE tree = ?`,
          ...[sum.seq, atMs, sum.nodes, sum.messages, sum.branches, sum.title, tree],
        );
        written.add(tree);
      }
      sums.clear();
    },
    seal(store) {
      for (const tree of written) sealTree(store, tree);
    },
  };
}

/** Writes the checksum of a tree's row after a change. */
export function sealTree(store: Store, tree: number): void {
  const row = store.get<TreeRow>(`SELECT ${TREE_COLUMNS} FROM trees t WHERE t.tree = ?`, tree);
  if (row !== undefined) store.run('UPDATE trees SET row_sum = ? WHERE tree = ?', treeSum(row), tree);
}
