import type { ReadContext } from '../paging/read_context.js';
import type { Slices } from '../paging/slices.js';
import { firstOutputLinks, type OutputLink } from '../read/output_links.js';
import { isMessage, titleOf } from '../store/node_preview.js';
import { dashed } from '../store/rows.js';
import { outputProblem } from './check_output.js';
import { type CheckedRow, problemsOf } from './checked_node.js';
import { addProblem, type Report } from './report.js';
import { scanNodes } from './scan_nodes.js';

/** The counters of a tree by its nodes, to be compared with its row. */
export interface NodeTally {
  nodeCount: number;
  messageCount: number;
  lastSeq: number;
  title: string;
}

/** Checks every node up to `to`, of one tree or of all, with the outputs; returns the counters by tree. */
export function* checkNodes(
  context: ReadContext,
  report: Report,
  { tree, to }: { tree: number | null; to: number },
): Slices<Map<number, NodeTally>> {
  const tallies = new Map<number, NodeTally>();
  for (let after = 0; after < to; ) {
    const scan = scanNodes(context.store, { tree, after, to });
    for (const seq of scan.unreadable) addProblem(report, 'a node, or one that it points at, cannot be read', { seq });
    for (const row of scan.rows) {
      report.nodes += 1;
      count(tallies, row);
      for (const problem of problemsOf(row)) addProblem(report, problem, locationOf(row));
    }
    yield;
    const links = firstOutputLinks(context.store, { tree, after, to: scan.end });
    yield* checkOutputs(context.outputs, report, { links, rows: scan.rows });
    after = scan.end;
  }
  return tallies;
}

function* checkOutputs(
  folder: string,
  report: Report,
  { links, rows }: { links: readonly OutputLink[]; rows: readonly CheckedRow[] },
): Slices<void> {
  const known = new Map(rows.map((row) => [row.seq, row]));
  for (const { node, sha256 } of links) {
    report.outputs += 1;
    const problem = yield* outputProblem(folder, sha256);
    const row = known.get(node);
    if (problem !== null) addProblem(report, problem, row === undefined ? { seq: node } : locationOf(row));
  }
}

function locationOf(row: CheckedRow): { tree: string | null; node: string; seq: number } {
  return { tree: row.has_tree === 0 ? null : dashed(row.tree_id), node: dashed(row.id), seq: row.seq };
}

function count(tallies: Map<number, NodeTally>, row: CheckedRow): void {
  const tally = tallies.get(row.tree) ?? { nodeCount: 0, messageCount: 0, lastSeq: 0, title: '' };
  tally.nodeCount += 1;
  tally.lastSeq = row.seq;
  if (row.role === 'user' && tally.title === '') tally.title = titleOf(row.preview);
  if (isMessage(row.role, row.preview)) tally.messageCount += 1;
  tallies.set(row.tree, tally);
}
