import { HubError } from '../../hub/base/error.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { dashed, idBlob } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { REQUEST_COLUMNS, type RequestRow, requestJson, usageOf } from '../store/turn_rows.js';
import { settledPlace, type WithId } from './append_nodes.js';
import { knownTree, nodeInTree, storedNode } from './stored_rows.js';
import { runningTurn } from './turn_journal.js';
import { conflict, type WriteOp, type Writing } from './write_operation.js';

type Start = WithId<ParsedOf<'loom.request_start'>>;
type End = ParsedOf<'loom.request_end'>;

export const startRequest: WriteOp<Start> = (writing, params) => {
  const { store } = writing;
  const first = requestRow(store, params.id);
  if (first !== undefined) {
    if (isSameStart(first, params)) return requestJson(first);
    throw conflict(`the id ${params.id} belongs to another request already`, 'use a fresh random id for each request');
  }
  const turn = runningTurn(store, params.turn);
  const { tree, above } = settledPlace(store, knownTree(store, dashed(turn.tree_id)), params.parent);
  store.run(
    `INSERT INTO requests (id, tree, turn, parent, provider, model, started_at_ms, outcome)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'running')`,
    ...[idBlob(params.id), tree.tree, turn.turn, above.seq, params.provider, params.model, writing.atMs],
  );
  return requestJson(knownRequest(store, params.id));
};

function isSameStart(row: RequestRow, params: Start): boolean {
  return (
    dashed(row.turn_id) === params.turn &&
    dashed(row.parent_id) === params.parent &&
    row.provider === params.provider &&
    row.model === params.model
  );
}

/** A request may end after its turn: what it cost is wanted all the same. */
export const endRequest: WriteOp<End> = (writing, params) => {
  const { store } = writing;
  const row = knownRequest(store, params.request);
  if (row.outcome !== 'running') {
    if (isSameEnd(row, params)) return requestJson(row);
    throw conflict(`request ${params.request} has ended (${row.outcome})`, 'each request ends once');
  }
  if (params.node !== null && storedNode(store, params.node) !== undefined) {
    nodeInTree(store, knownTree(store, dashed(row.tree_id)), params.node);
  }
  const { usage } = params;
  store.run(
    `UPDATE requests SET outcome = ?, ended_at_ms = ?, node_id = coalesce(?, node_id), tokens_in = ?, tokens_out = ?,
       tokens_cache_read = ?, tokens_cache_write_5m = ?, tokens_cache_write_1h = ?, price_microdollars = ?,
       estimate = ? WHERE request = ?`,
    ...[params.outcome, writing.atMs, params.node === null ? null : idBlob(params.node)],
    ...[usage?.tokens_in ?? null, usage?.tokens_out ?? null, usage?.tokens_cache_read ?? null],
    ...[usage?.tokens_cache_write_5m ?? null, usage?.tokens_cache_write_1h ?? null],
    ...[params.price_microdollars, params.estimate ? 1 : 0, row.request],
  );
  if (params.node !== null) nameNodeOfAttempts(store, row, params.node);
  return requestJson(knownRequest(store, params.request));
};

// The attempts that failed before it belong to the branch that its answer is on.
function nameNodeOfAttempts(store: Store, row: RequestRow, node: string): void {
  const sql = 'UPDATE requests SET node_id = ? WHERE turn = ? AND parent = ? AND node_id IS NULL';
  store.run(sql, idBlob(node), row.turn, row.parent);
}

// A failed attempt, which named no node, may have got that of a later one since.
function isSameEnd(row: RequestRow, params: End): boolean {
  const sameNode = params.node === null || (row.given_id !== null && dashed(row.given_id) === params.node);
  return (
    sameNode &&
    row.outcome === params.outcome &&
    row.price_microdollars === params.price_microdollars &&
    row.estimate === (params.estimate ? 1 : 0) &&
    isSameUsage(usageOf(row), params.usage)
  );
}

function isSameUsage(stored: ReturnType<typeof usageOf>, given: End['usage']): boolean {
  if (stored === null || given === null) return stored === given;
  return (
    stored.tokens_in === given.tokens_in &&
    stored.tokens_out === given.tokens_out &&
    stored.tokens_cache_read === given.tokens_cache_read &&
    stored.tokens_cache_write_5m === given.tokens_cache_write_5m &&
    stored.tokens_cache_write_1h === given.tokens_cache_write_1h
  );
}

/** Closes the requests that a hub left behind: what they used, and when they ended, nobody knows. */
export function closeLeftRequests({ store }: Writing): void {
  store.run("UPDATE requests SET outcome = 'interrupted' WHERE outcome = 'running'");
}

function requestRow(store: Store, id: string): RequestRow | undefined {
  return store.get<RequestRow>(`SELECT ${REQUEST_COLUMNS} FROM requests r WHERE r.id = ?`, idBlob(id));
}

function knownRequest(store: Store, id: string): RequestRow {
  const row = requestRow(store, id);
  if (row !== undefined) return row;
  throw new HubError('not_found', `there is no request ${id}`, { hint: 'note it first: loom.request_start' });
}
