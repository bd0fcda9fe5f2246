import { SLICE_ROWS, type Slices } from '../paging/slices.js';
import { dashed } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { addProblem, type Report } from './report.js';

interface Checked {
  at: number;
  tree: number | null;
  id: string;
  tree_id: string | null;
  problem: string | null;
}

const SLICE = `ORDER BY at LIMIT ${SLICE_ROWS}`;

export const INPUTS_AFTER = `SELECT i.seq AS at, lower(hex(i.id)) AS id, u.tree, lower(hex(t.id)) AS tree_id,
    CASE WHEN u.turn IS NULL THEN 'belongs to no turn'
      WHEN i.node IS NULL THEN NULL
      WHEN n.tree IS NULL OR n.tree <> u.tree OR n.id <> i.id THEN 'does not point at its node'
      WHEN i.dropped_at_ms IS NOT NULL THEN 'was taken and taken back' END AS problem
  FROM inputs i LEFT JOIN turns u ON u.turn = i.turn LEFT JOIN trees t ON t.tree = u.tree
  LEFT JOIN nodes n ON n.seq = i.node
  WHERE i.seq > ? ${SLICE}`;

export const REQUESTS_AFTER = `SELECT r.request AS at, lower(hex(r.id)) AS id, r.tree, lower(hex(t.id)) AS tree_id,
    CASE WHEN u.tree IS NULL OR u.tree <> r.tree THEN 'belongs to no turn of its tree'
      WHEN p.tree IS NULL OR p.tree <> r.tree OR n.tree <> r.tree
      THEN 'does not point at nodes of its tree' END AS problem
  FROM requests r LEFT JOIN trees t ON t.tree = r.tree LEFT JOIN turns u ON u.turn = r.turn
  LEFT JOIN nodes p ON p.seq = r.parent LEFT JOIN nodes n ON n.id = r.node_id
  WHERE r.request > ? ${SLICE}`;

export function checkInputs(store: Store, report: Report, tree: number | null): Slices<void> {
  return check(store, report, { what: 'input', sql: INPUTS_AFTER, tree });
}

/** A request without a node is fine, as its answer may never have been stored; a node of another tree is wrong. */
export function checkRequests(store: Store, report: Report, tree: number | null): Slices<void> {
  return check(store, report, { what: 'request', sql: REQUESTS_AFTER, tree });
}

function* check(
  store: Store,
  report: Report,
  { what, sql, tree }: { what: string; sql: string; tree: number | null },
): Slices<void> {
  for (let after = 0; ; ) {
    const rows = store.all<Checked>(sql, after);
    for (const row of rows) {
      if (row.problem === null || (tree !== null && row.tree !== tree)) continue;
      const treeId = row.tree_id === null ? null : dashed(row.tree_id);
      addProblem(report, `${what} ${dashed(row.id)} ${row.problem}`, { tree: treeId });
    }
    if (rows.length < SLICE_ROWS) return;
    after = rows.at(-1)?.at ?? after;
    yield;
  }
}
