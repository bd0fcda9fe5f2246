import { dashed } from './rows.js';

/** Rows that belong to a turn beside its steps, and their JSON on the wire. */

/** One input as `INPUT_COLUMNS` selects it. */
export interface InputRow {
  seq: number;
  id: string;
  turn_id: string;
  kind: string;
  added_at_ms: number;
  dropped_at_ms: number | null;
  node: number | null;
  blocks: string;
}

/** What to select from `inputs AS i` for an `InputRow`. */
export const INPUT_COLUMNS = `i.seq, lower(hex(i.id)) AS id,
  (SELECT lower(hex(u.id)) FROM turns u WHERE u.turn = i.turn) AS turn_id,
  i.kind, i.added_at_ms, i.dropped_at_ms, i.node, i.blocks`;

/** The JSON of an `Input`. */
export function inputJson(row: InputRow): string {
  const node = row.node === null ? 'null' : `"${dashed(row.id)}"`;
  return (
    `{"id":"${dashed(row.id)}","turn":"${dashed(row.turn_id)}","kind":"${row.kind}","blocks":${row.blocks},` +
    `"state":"${stateOf(row)}","node":${node},"seq":${row.seq},"added_at_ms":${row.added_at_ms}}`
  );
}

function stateOf(row: InputRow): 'pending' | 'taken' | 'dropped' {
  if (row.node !== null) return 'taken';
  return row.dropped_at_ms === null ? 'pending' : 'dropped';
}

/** One question as `QUESTION_COLUMNS` selects it. */
export interface QuestionRow {
  question: number;
  id: string;
  call: string;
  /** JSON of its kind, its text and its options. */
  body: string;
  answer: string | null;
}

/** What to select from `questions AS q` for a `QuestionRow`. */
export const QUESTION_COLUMNS = 'q.question, lower(hex(q.id)) AS id, q.call, q.body, q.answer';

/** The JSON of a `Question`. */
export function questionJson({ id, call, body, answer }: QuestionRow): string {
  return `{"call":${JSON.stringify(call)},"id":"${dashed(id)}","answer":${JSON.stringify(answer)},${body.slice(1)}`;
}

/** The tokens of a request; all of them are null when they were not counted. */
export interface UsageRow {
  tokens_in: number | null;
  tokens_out: number | null;
  tokens_cache_read: number | null;
  tokens_cache_write_5m: number | null;
  tokens_cache_write_1h: number | null;
}

/** What to select from `requests AS r` for a `UsageRow`. */
export const USAGE_COLUMNS =
  'r.tokens_in, r.tokens_out, r.tokens_cache_read, r.tokens_cache_write_5m, r.tokens_cache_write_1h';

/** One request as `REQUEST_COLUMNS` selects it. */
export interface RequestRow extends UsageRow {
  request: number;
  id: string;
  tree_id: string;
  turn: number;
  turn_id: string;
  parent: number;
  parent_id: string;
  /** The id that the caller gave, whether or not that node exists yet. */
  given_id: string | null;
  node_id: string | null;
  provider: string;
  model: string;
  started_at_ms: number;
  ended_at_ms: number | null;
  outcome: string;
  price_microdollars: number | null;
  estimate: number;
}

/** What to select from `requests AS r` for a `RequestRow`. */
export const REQUEST_COLUMNS = `r.request, lower(hex(r.id)) AS id,
  (SELECT lower(hex(t.id)) FROM trees t WHERE t.tree = r.tree) AS tree_id, r.turn,
  (SELECT lower(hex(u.id)) FROM turns u WHERE u.turn = r.turn) AS turn_id, r.parent,
  (SELECT lower(hex(n.id)) FROM nodes n WHERE n.seq = r.parent) AS parent_id,
  nullif(lower(hex(r.node_id)), '') AS given_id,
  (SELECT lower(hex(n.id)) FROM nodes n WHERE n.id = r.node_id AND n.tree = r.tree) AS node_id,
  r.provider, r.model, r.started_at_ms, r.ended_at_ms, r.outcome, ${USAGE_COLUMNS}, r.price_microdollars, r.estimate`;

/** The JSON of a `PhysicalRequest`. */
export function requestJson(row: RequestRow): string {
  return JSON.stringify({
    ...{ id: dashed(row.id), tree: dashed(row.tree_id), turn: dashed(row.turn_id), parent: dashed(row.parent_id) },
    node: row.node_id === null ? null : dashed(row.node_id),
    ...{ provider: row.provider, model: row.model, started_at_ms: row.started_at_ms, ended_at_ms: row.ended_at_ms },
    ...{ outcome: row.outcome, usage: usageOf(row), price_microdollars: row.price_microdollars },
    estimate: row.estimate === 1,
  });
}

/** The usage of a request; null when it was not counted. */
export function usageOf(row: UsageRow) {
  if (row.tokens_in === null) return null;
  const { tokens_in, tokens_out, tokens_cache_read, tokens_cache_write_5m, tokens_cache_write_1h } = row;
  return { tokens_in, tokens_out, tokens_cache_read, tokens_cache_write_5m, tokens_cache_write_1h };
}
