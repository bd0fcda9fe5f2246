import type { ReadContext } from '../paging/read_context.js';
import { SLICE_ROWS, type Slices } from '../paging/slices.js';
import { countLeaves } from '../read/list_leaves.js';
import { type ChangeRow, isChangeAsTold, isTreeAsWritten } from '../store/row_sums.js';
import { dashed, idBlob, TREE_COLUMNS, type TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import type { NodeTally } from './check_nodes.js';
import { addProblem, type Report } from './report.js';

/** The counters of the feed up to `to`. */
export interface CountedFeed {
  tallies: Map<number, NodeTally>;
  /** The newest change of each tree, by the tree's id in hex. */
  changes: Map<string, number>;
  to: number;
}

const TREES_AFTER = `SELECT ${TREE_COLUMNS} FROM trees t WHERE t.tree > ? ORDER BY t.tree LIMIT ${SLICE_ROWS}`;
const CHANGES_AFTER = `SELECT seq, lower(hex(tree_id)) AS tree_id, body, row_sum FROM changes
  WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${SLICE_ROWS}`;
const ONE_TREE = `SELECT ${TREE_COLUMNS} FROM trees t WHERE t.tree = ?`;

/** Compares every tree's row with its nodes. */
export function* checkTrees(context: ReadContext, report: Report, counted: CountedFeed): Slices<void> {
  for (let after = 0; ; ) {
    const rows = context.store.all<TreeRow>(TREES_AFTER, after);
    for (const row of rows) yield* checkTree(context, report, { row, counted });
    if (rows.length < SLICE_ROWS) return;
    after = rows.at(-1)?.tree ?? after;
    yield;
  }
}

/** The newest change of each tree up to a number. Those of one tree, or of all, are compared with their checksums. */
export function* newestChanges(
  store: Store,
  report: Report,
  { tree, to }: { tree: string | null; to: number },
): Slices<Map<string, number>> {
  const newest = new Map<string, number>();
  for (let after = 0; ; ) {
    const rows = store.all<ChangeRow>(CHANGES_AFTER, after, to);
    for (const row of rows) {
      newest.set(row.tree_id, row.seq);
      if ((tree !== null && tree !== row.tree_id) || isChangeAsTold(row)) continue;
      addProblem(report, 'a change is not what was told', { tree: dashed(row.tree_id), seq: row.seq });
    }
    if (rows.length < SLICE_ROWS) return newest;
    after = rows.at(-1)?.seq ?? after;
    yield;
  }
}

/** Skips an unfinished import, and a tree that was written to meanwhile. */
export function* checkTree(
  context: ReadContext,
  report: Report,
  { row, counted }: { row: TreeRow; counted: CountedFeed },
): Slices<void> {
  report.trees += 1;
  if (row.importing === 1) return;
  const { store } = context;
  const tree = dashed(row.id);
  if (!isTreeAsWritten(row)) addProblem(report, 'the tree’s row is not what was written', { tree });
  const root = store.get('SELECT 1 FROM nodes WHERE id = ? AND tree = ? AND parent IS NULL', idBlob(row.id), row.tree);
  if (root === undefined) addProblem(report, 'the tree has no root', { tree });
  const branches = yield* countLeaves(context, row.tree);
  const now = store.get<TreeRow>(ONE_TREE, row.tree);
  if (now === undefined || now.last_seq > counted.to) return;
  const tally = counted.tallies.get(row.tree);
  const lastSeq = Math.max(tally?.lastSeq ?? 0, counted.changes.get(row.id) ?? 0);
  compare('number of nodes', now.node_count, tally?.nodeCount ?? 0);
  compare('number of messages', now.message_count, tally?.messageCount ?? 0);
  compare('number of branches', now.branch_count, branches);
  compare('newest number', now.last_seq, lastSeq);
  if (now.title !== (tally?.title ?? ''))
    addProblem(report, 'the tree’s title is not that of its first message', { tree });

  function compare(what: string, said: number, found: number): void {
    if (said !== found) addProblem(report, `the tree’s ${what} is ${found}, but its row says ${said}`, { tree });
  }
}
