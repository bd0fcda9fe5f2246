import { HubError } from '../../../hub/base/error.js';
import type { ReadContext } from '../../paging/read_context.js';
import { SLICE_ROWS, type Slices } from '../../paging/slices.js';
import { requireNode, requireTree, requireTurn } from '../../store/require_rows.js';
import { dashed, idBlob } from '../../store/rows.js';
import type { ReadParams } from '../read_methods.js';
import { pathTo } from '../walk_path.js';
import {
  COST_OF_TREE,
  COST_OF_TURN,
  type CostRow,
  costsOf,
  costsOfOwned,
  costsOnPath,
  costsWithin,
  type TakeCosts,
} from './cost_rows.js';

/** The most parts in one result. */
const PARTS_MAX = 4_000;

type Params = ReadParams['loom.cost_get'];
type Sum = ReturnType<typeof noCost>;

export function* getCost(context: ReadContext, params: Params): Slices<string> {
  refuseMixed(params);
  const total = noCost();
  const parts = new Map<string, Sum>();
  const add: TakeCosts = (rows) => {
    for (const row of rows) {
      if (!isWithin(row, params)) continue;
      addTo(total, row);
      if (params.by !== 'none') addTo(partOf(parts, keyOf(row, params)), row);
    }
  };
  const below = yield* sumUp(context, params, add);
  const list = [...parts].map(([key, cost]) => ({ key, cost }));
  // A path is not read in chronological order.
  if (params.by === 'day') list.sort((one, other) => (one.key < other.key ? -1 : 1));
  return JSON.stringify({ total, below, parts: list });
}

function refuseMixed({ tree, owner, turn, node, since }: Params): void {
  if ([tree, owner, turn, node].filter((scope) => scope !== null).length > 1) {
    throw new HubError('invalid_params', 'costs are summed of a tree, of a turn or of the path to a node', {
      hint: 'give at most one of the four: tree, owner, turn, node',
    });
  }
  if (since === null || node !== null) return;
  throw new HubError('invalid_params', '`since` is a node of a path, but no path was asked for', {
    hint: 'give the node at the end of the path, too: node',
  });
}

type Below = { since: string; cost: Sum } | null;

function* sumUp(context: ReadContext, params: Params, add: TakeCosts): Slices<Below> {
  const { store } = context;
  if (params.node !== null) return yield* sumPath(context, { ...params, node: params.node }, add);
  if (params.tree !== null) {
    yield* costsOf(context, { sql: COST_OF_TREE, of: requireTree(store, params.tree).tree }, add);
  } else if (params.owner !== null) {
    yield* costsOfOwned(context, idBlob(requireTree(store, params.owner).id), add);
  } else if (params.turn !== null) {
    yield* costsOf(context, { sql: COST_OF_TURN, of: requireTurn(store, params.turn).turn }, add);
  } else {
    const within = { fromMs: params.from_ms ?? 0, untilMs: params.until_ms ?? Number.MAX_SAFE_INTEGER };
    yield* costsWithin(context, within, add);
  }
  return null;
}

function* sumPath(context: ReadContext, params: Params & { node: string }, add: TakeCosts): Slices<Below> {
  const path = yield* pathTo(context, requireNode(context.store, params.node).seq);
  const since = params.since === null ? yield* forkAbove(context, path) : requireOnPath(context, path, params);
  const cost = noCost();
  yield* costsOnPath(context, path, (rows) => {
    add(rows);
    // A parent's number is smaller than its child's.
    for (const row of rows) if ((row.at ?? 0) > since.seq && isWithin(row, params)) addTo(cost, row);
  });
  return { since: since.id, cost };
}

interface PathNode {
  seq: number;
  id: string;
}

export const FORKS_AT = `SELECT list.value AS seq FROM json_each(?) list
  WHERE (SELECT count(*) FROM (SELECT 1 FROM nodes c WHERE c.parent = list.value LIMIT 2)) > 1`;
const ID_AT = 'SELECT lower(hex(id)) AS id FROM nodes WHERE seq = ?';

/** The nearest fork point above the end of a path, else the root. */
function* forkAbove({ store }: ReadContext, path: readonly number[]): Slices<PathNode> {
  let seq = path[0] ?? 0;
  for (let end = path.length - 1; end > 0; end -= SLICE_ROWS) {
    const slice = path.slice(Math.max(0, end - SLICE_ROWS), end);
    const fork = store.all<{ seq: number }>(FORKS_AT, JSON.stringify(slice)).at(-1);
    if (fork !== undefined) {
      seq = fork.seq;
      break;
    }
    yield;
  }
  return { seq, id: dashed(store.get<{ id: string }>(ID_AT, seq)?.id ?? '') };
}

function requireOnPath({ store }: ReadContext, path: readonly number[], { node, since }: Params): PathNode {
  const { seq } = requireNode(store, since ?? '');
  if (path.includes(seq)) return { seq, id: since ?? '' };
  throw new HubError('invalid_params', `node ${since} is not on the path to ${node}`, {
    hint: 'name a node above it, or none for the nearest fork',
  });
}

function isWithin(row: CostRow, { from_ms, until_ms }: Params): boolean {
  return row.started_at_ms >= (from_ms ?? 0) && row.started_at_ms < (until_ms ?? Number.MAX_SAFE_INTEGER);
}

function keyOf(row: CostRow, params: Params): string {
  switch (params.by) {
    case 'day':
      return new Date(row.started_at_ms + params.utc_offset_minutes * 60_000).toISOString().slice(0, 10);
    case 'turn':
      return dashed(row.turn_id);
    case 'tree':
      return dashed(row.tree_id);
    default:
      return `${row.provider}/${row.model}`;
  }
}

function partOf(parts: Map<string, Sum>, key: string): Sum {
  const existing = parts.get(key);
  if (existing !== undefined) return existing;
  if (parts.size >= PARTS_MAX) {
    throw new HubError('limit', `there are more than ${PARTS_MAX} parts to sum apart`, {
      hint: 'ask for a shorter time: from_ms, until_ms',
    });
  }
  const sum = noCost();
  parts.set(key, sum);
  return sum;
}

function noCost() {
  return {
    ...{ requests: 0, running: 0, failed: 0 },
    ...{ tokens_in: 0, tokens_out: 0, tokens_cache_read: 0, tokens_cache_write_5m: 0, tokens_cache_write_1h: 0 },
    ...{ price_microdollars: 0, unknown_price: 0, unknown_usage: 0, estimated: 0 },
  };
}

function addTo(sum: Sum, row: CostRow): void {
  sum.requests += 1;
  if (row.outcome === 'running') {
    sum.running += 1;
    return;
  }
  if (row.outcome !== 'ok' && row.outcome !== 'stopped') sum.failed += 1;
  sum.tokens_in += row.tokens_in ?? 0;
  sum.tokens_out += row.tokens_out ?? 0;
  sum.tokens_cache_read += row.tokens_cache_read ?? 0;
  sum.tokens_cache_write_5m += row.tokens_cache_write_5m ?? 0;
  sum.tokens_cache_write_1h += row.tokens_cache_write_1h ?? 0;
  sum.price_microdollars += row.price_microdollars ?? 0;
  if (row.price_microdollars === null) sum.unknown_price += 1;
  if (row.tokens_in === null) sum.unknown_usage += 1;
  sum.estimated += row.estimate;
}
