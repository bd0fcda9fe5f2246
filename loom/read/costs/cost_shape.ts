import { cursorNumber } from '../../paging/page_json.js';
import type { ReadContext } from '../../paging/read_context.js';
import { SLICE_ROWS, type Slices } from '../../paging/slices.js';
import { requireTree } from '../../store/require_rows.js';
import type { ReadParams } from '../read_methods.js';

// The same node as in a path's costs: a request counts once, at its answer or at the node that it was sent from.
export const COST_SHAPE_AFTER = `
  SELECT r.request, ifnull((SELECT n.seq FROM nodes n WHERE n.id = r.node_id AND n.tree = r.tree), r.parent) AS seq,
    r.provider || '/' || r.model AS model, r.tokens_in, r.tokens_out, r.tokens_cache_read,
    r.tokens_cache_write_5m + r.tokens_cache_write_1h AS tokens_cache_write, r.price_microdollars
  FROM requests r WHERE r.tree = ? AND r.request > ? AND r.outcome <> 'running' ORDER BY r.request
  LIMIT ${SLICE_ROWS}`;

interface ShapeRow {
  request: number;
  seq: number;
  model: string;
  tokens_in: number | null;
  tokens_out: number | null;
  tokens_cache_read: number | null;
  tokens_cache_write: number | null;
  price_microdollars: number | null;
}

/** The ended requests of a tree as columns, which take a fifth of the bytes of a list of requests. */
export function* getCostShape({ store }: ReadContext, params: ReadParams['loom.cost_shape']): Slices<string> {
  const { tree } = requireTree(store, params.tree);
  const rows: ShapeRow[] = [];
  for (let after: number | null = cursorNumber(params.cursor, 0); after !== null && rows.length <= params.limit; ) {
    const slice: ShapeRow[] = store.all<ShapeRow>(COST_SHAPE_AFTER, tree, after);
    rows.push(...slice);
    after = slice.length < SLICE_ROWS ? null : (slice.at(-1)?.request ?? null);
    yield;
  }
  const page = rows.slice(0, params.limit);
  const last = page.at(-1);
  return columnsJson(page, rows.length > page.length && last !== undefined ? String(last.request) : null);
}

function columnsJson(rows: readonly ShapeRow[], cursor: string | null): string {
  const models = new Map<string, number>();
  for (const { model } of rows) if (!models.has(model)) models.set(model, models.size);
  return JSON.stringify({
    seq: rows.map((row) => row.seq),
    model: rows.map((row) => models.get(row.model)),
    tokens_in: rows.map((row) => row.tokens_in),
    tokens_out: rows.map((row) => row.tokens_out),
    tokens_cache_read: rows.map((row) => row.tokens_cache_read),
    tokens_cache_write: rows.map((row) => row.tokens_cache_write),
    price_microdollars: rows.map((row) => row.price_microdollars),
    models: [...models.keys()],
    cursor,
  });
}
