import { HubError } from '../../hub/base/error.js';
import { rpcMethod } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { requireTree } from '../store/require_rows.js';
import { dashed, idBlob } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { REQUEST_COLUMNS, type RequestRow, requestJson, usageOf } from '../store/turn_rows.js';
import { requireSettledTarget, type WithId } from './append_nodes.js';
import { findNode, requireNodeInTree } from './find_rows.js';
import { requireRunningTurn } from './turn_journal.js';
import { conflict, type WriteContext, type WriteOp } from './write_operation.js';

type StartParams = WithId<ParsedOf<'loom.request_start'>>;
type EndParams = ParsedOf<'loom.request_end'>;

export const startRequest: WriteOp<StartParams> = (context, params) => {
  const { store } = context;
  const first = findRequest(store, params.id);
  if (first !== undefined) {
    if (isSameStart(first, params)) return requestJson(first);
    throw conflict(`the id ${params.id} belongs to another request already`, 'use a fresh random id for each request');
  }
  const turn = requireRunningTurn(store, params.turn);
  const { tree, above } = requireSettledTarget(store, requireTree(store, dashed(turn.tree_id)), params.parent);
  store.run(
    `INSERT INTO requests (id, tree, turn, parent, provider, model, started_at_ms, outcome)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'running')`,
    ...[idBlob(params.id), tree.tree, turn.turn, above.seq, params.provider, params.model, context.atMs],
  );
  return requestJson(requireRequest(store, params.id));
};

function isSameStart(row: RequestRow, params: StartParams): boolean {
  return (
    dashed(row.turn_id) === params.turn &&
    dashed(row.parent_id) === params.parent &&
    row.provider === params.provider &&
    row.model === params.model
  );
}

/** A request may end after its turn: its cost is recorded all the same. */
export const endRequest: WriteOp<EndParams> = (context, params) => {
  const { store } = context;
  const row = requireRequest(store, params.request);
  if (row.outcome !== 'running') {
    if (isSameEnd(row, params)) return requestJson(row);
    throw conflict(`request ${params.request} has ended (${row.outcome})`, 'each request ends once');
  }
  if (params.node !== null && findNode(store, params.node) !== undefined) {
    requireNodeInTree(store, requireTree(store, dashed(row.tree_id)), params.node);
  }
  const { usage } = params;
  store.run(
    `UPDATE requests SET outcome = ?, ended_at_ms = ?, node_id = coalesce(?, node_id), tokens_in = ?, tokens_out = ?,
       tokens_cache_read = ?, tokens_cache_write_5m = ?, tokens_cache_write_1h = ?, price_microdollars = ?,
       estimate = ? WHERE request = ?`,
    ...[params.outcome, context.atMs, params.node === null ? null : idBlob(params.node)],
    ...[usage?.tokens_in ?? null, usage?.tokens_out ?? null, usage?.tokens_cache_read ?? null],
    ...[usage?.tokens_cache_write_5m ?? null, usage?.tokens_cache_write_1h ?? null],
    ...[params.price_microdollars, params.estimate ? 1 : 0, row.request],
  );
  if (params.node !== null) nameNodeOfAttempts(store, row, params.node);
  return requestJson(requireRequest(store, params.request));
};

// Earlier failed attempts belong to the branch of the answer.
function nameNodeOfAttempts(store: Store, row: RequestRow, node: string): void {
  const sql = 'UPDATE requests SET node_id = ? WHERE turn = ? AND parent = ? AND node_id IS NULL';
  store.run(sql, idBlob(node), row.turn, row.parent);
}

// A failed attempt, which named no node, may have received the node of a later one.
function isSameEnd(row: RequestRow, params: EndParams): boolean {
  const sameNode = params.node === null || (row.given_id !== null && dashed(row.given_id) === params.node);
  return (
    sameNode &&
    row.outcome === params.outcome &&
    row.price_microdollars === params.price_microdollars &&
    row.estimate === (params.estimate ? 1 : 0) &&
    isSameUsage(usageOf(row), params.usage)
  );
}

function isSameUsage(stored: ReturnType<typeof usageOf>, reported: EndParams['usage']): boolean {
  if (stored === null || reported === null) return stored === reported;
  return (
    stored.tokens_in === reported.tokens_in &&
    stored.tokens_out === reported.tokens_out &&
    stored.tokens_cache_read === reported.tokens_cache_read &&
    stored.tokens_cache_write_5m === reported.tokens_cache_write_5m &&
    stored.tokens_cache_write_1h === reported.tokens_cache_write_1h
  );
}

/** Closes the requests that an earlier hub left running; their usage and end are unknown. */
export function closeAbandonedRequests({ store }: WriteContext): void {
  store.run("UPDATE requests SET outcome = 'interrupted' WHERE outcome = 'running'");
}

function findRequest(store: Store, id: string): RequestRow | undefined {
  return store.get<RequestRow>(`SELECT ${REQUEST_COLUMNS} FROM requests r WHERE r.id = ?`, idBlob(id));
}

function requireRequest(store: Store, id: string): RequestRow {
  const row = findRequest(store, id);
  if (row !== undefined) return row;
  throw new HubError('not_found', `there is no request ${id}`, {
    hint: ['note it first: ', rpcMethod('loom.request_start')],
  });
}
