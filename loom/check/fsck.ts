import type { ReadContext } from '../paging/read_context.js';
import type { Slices } from '../paging/slices.js';
import type { ReadParams } from '../read/read_methods.js';
import { newestSeq } from '../store/newest_seq.js';
import { requireTree } from '../store/require_rows.js';
import type { TreeRow } from '../store/rows.js';
import { checkNodes } from './check_nodes.js';
import { checkOrphans } from './check_orphans.js';
import { checkFile, checkLost, checkPointers, checkSettings } from './check_pointers.js';
import { type CountedFeed, checkTree, checkTrees, newestChanges } from './check_trees.js';
import { addProblem, newReport, type Report } from './report.js';
import { isDamage } from './scan_nodes.js';

/** Checks the database part by part: an unreadable part does not keep the others from being checked. */
export function* checkDatabase(context: ReadContext, params: ReadParams['loom.fsck']): Slices<string> {
  const { store } = context;
  const report = newReport();
  const row = params.tree === null ? null : requireTree(store, params.tree);
  const tree = row?.tree ?? null;
  const to = newestSeq(store);
  if (tree === null) {
    yield* unlessDamaged(report, 'the database file', checkFile(store, report));
    yield* unlessDamaged(report, 'the write-ahead log', checkLost(store, report));
    yield* unlessDamaged(report, 'the settings', checkSettings(store, report));
    yield* unlessDamaged(report, 'the stored outputs', checkOrphans(context, report));
  }
  yield* unlessDamaged(report, 'what points at nodes', checkPointers(store, report, tree));
  yield* unlessDamaged(report, 'the trees', checkTreesWithNodes(context, report, { row, to }));
  return JSON.stringify(report);
}

function* checkTreesWithNodes(
  context: ReadContext,
  report: Report,
  { row, to }: { row: TreeRow | null; to: number },
): Slices<void> {
  const tallies = yield* checkNodes(context, report, { tree: row?.tree ?? null, to });
  const changes = yield* newestChanges(context.store, report, { tree: row?.id ?? null, to });
  const counted: CountedFeed = { tallies, changes, to };
  if (row === null) yield* checkTrees(context, report, counted);
  else yield* checkTree(context, report, { row, counted });
}

function* unlessDamaged(report: Report, what: string, check: Slices<void>): Slices<void> {
  try {
    yield* check;
  } catch (error) {
    if (!isDamage(error)) throw error;
    addProblem(report, `${what} cannot be read to the end: ${error instanceof Error ? error.message : String(error)}`);
  }
}
