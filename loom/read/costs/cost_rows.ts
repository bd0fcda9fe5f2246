import type { ReadContext } from '../../paging/read_context.js';
import { SLICE_ROWS, type Slices } from '../../paging/slices.js';
import { USAGE_COLUMNS, type UsageRow } from '../../store/turn_rows.js';

/** The columns of a request that a sum needs. */
export interface CostRow extends UsageRow {
  request: number;
  tree_id: string;
  turn_id: string;
  provider: string;
  model: string;
  started_at_ms: number;
  outcome: string;
  price_microdollars: number | null;
  estimate: number;
  /** The row number of the node at which it is counted; null where only paths need it. */
  at: number | null;
}

const COST_COLUMNS = `r.request, (SELECT lower(hex(t.id)) FROM trees t WHERE t.tree = r.tree) AS tree_id,
  (SELECT lower(hex(u.id)) FROM turns u WHERE u.turn = r.turn) AS turn_id,
  r.provider, r.model, r.started_at_ms, r.outcome, ${USAGE_COLUMNS}, r.price_microdollars, r.estimate`;
const AFTER = `r.request > ? ORDER BY r.request LIMIT ${SLICE_ROWS}`;

export const COST_OF_TREE = `SELECT ${COST_COLUMNS}, NULL AS at FROM requests r WHERE r.tree = ? AND ${AFTER}`;
export const COST_OF_TURN = `SELECT ${COST_COLUMNS}, NULL AS at FROM requests r WHERE r.turn = ? AND ${AFTER}`;

// The row number orders requests of the same millisecond.
export const COST_STARTED = `SELECT ${COST_COLUMNS}, NULL AS at FROM requests r
  WHERE (r.started_at_ms, r.request) > (?, ?) AND r.started_at_ms < ?
  ORDER BY r.started_at_ms, r.request LIMIT ${SLICE_ROWS}`;

// CROSS JOIN keeps the order of the path. A request counts at the node of its answer or, while there is none, at the node
// that it was sent from: at one of the two, so at most once on any path.
export const COST_ANSWERS_AT = `SELECT ${COST_COLUMNS}, n.seq AS at
  FROM json_each(?) list CROSS JOIN nodes n ON n.seq = list.value CROSS JOIN requests r ON r.node_id = n.id
  WHERE r.tree = n.tree`;
export const COST_UNANSWERED_AT = `SELECT ${COST_COLUMNS}, r.parent AS at
  FROM json_each(?) list CROSS JOIN requests r ON r.parent = list.value
  WHERE NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = r.node_id AND n.tree = r.tree)`;

/** Receives the rows of one slice. */
export type TakeCosts = (rows: readonly CostRow[]) => void;

/** The requests of one tree or of one turn, as `sql` says, oldest first. */
export function* costsOf(
  { store }: ReadContext,
  { sql, of }: { sql: string; of: number },
  take: TakeCosts,
): Slices<void> {
  for (let after = 0; ; ) {
    const rows = store.all<CostRow>(sql, of, after);
    take(rows);
    if (rows.length < SLICE_ROWS) return;
    after = rows.at(-1)?.request ?? after;
    yield;
  }
}

export const OWNED_TREES = 'SELECT t.tree FROM trees t WHERE t.owner_tree = ? AND t.importing = 0';

/** The requests of all trees that a tree owns. */
export function* costsOfOwned(context: ReadContext, owner: Buffer, take: TakeCosts): Slices<void> {
  for (const { tree } of context.store.all<{ tree: number }>(OWNED_TREES, owner)) {
    yield* costsOf(context, { sql: COST_OF_TREE, of: tree }, take);
    yield;
  }
}

/** The requests of all trees that started within a period. */
export function* costsWithin(
  { store }: ReadContext,
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  take: TakeCosts,
): Slices<void> {
  let last = { ms: fromMs, request: 0 };
  for (;;) {
    const rows = store.all<CostRow>(COST_STARTED, last.ms, last.request, untilMs);
    take(rows);
    const end = rows.at(-1);
    if (end === undefined || rows.length < SLICE_ROWS) return;
    last = { ms: end.started_at_ms, request: end.request };
    yield;
  }
}

/** The requests that count at the nodes of a path. */
export function* costsOnPath({ store }: ReadContext, path: readonly number[], take: TakeCosts): Slices<void> {
  for (let first = 0; first < path.length; first += SLICE_ROWS) {
    const slice = JSON.stringify(path.slice(first, first + SLICE_ROWS));
    take(store.all<CostRow>(COST_ANSWERS_AT, slice));
    take(store.all<CostRow>(COST_UNANSWERED_AT, slice));
    yield;
  }
}
