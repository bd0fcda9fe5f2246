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
}

export function createTreeCounters(): TreeCounters {
  const sums = new Map<number, Sum>();
  return {
    add(tree, counts) {
      const sum = sums.get(tree) ?? { seq: 0, nodes: 0, messages: 0, branches: 0, title: '' };
      sum.seq = counts.seq;
      sum.nodes += 1;
      sum.messages += counts.isMessage ? 1 : 0;
      sum.branches += counts.opensBranch ? 1 : 0;
      if (sum.title === '') sum.title = counts.title;
      sums.set(tree, sum);
    },
    write(store, atMs) {
      for (const [tree, sum] of sums) {
        store.run(
          `UPDATE trees SET last_seq = ?, updated_at_ms = ?, node_count = node_count + ?,
             message_count = message_count + ?, branch_count = branch_count + ?,
             title = CASE title WHEN '' THEN ? ELSE title END WHERE tree = ?`,
          ...[sum.seq, atMs, sum.nodes, sum.messages, sum.branches, sum.title, tree],
        );
      }
      sums.clear();
    },
  };
}
