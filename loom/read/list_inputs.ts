import { cursorError, pageJson } from '../paging/page_json.js';
import type { ReadContext } from '../paging/read_context.js';
import { PAGE_BYTES_MAX, type Slices } from '../paging/slices.js';
import { requireTurn } from '../store/require_rows.js';
import type { Store } from '../store/store.js';
import { INPUT_COLUMNS, type InputRow, inputJson } from '../store/turn_rows.js';
import type { ReadParams } from './read_methods.js';

const IS_PENDING = 'i.node IS NULL AND i.dropped_at_ms IS NULL';
/** All of them: their number and size are limited when they are added. */
export const PENDING_OF = `SELECT ${INPUT_COLUMNS} FROM inputs i WHERE i.turn = ? AND ${IS_PENDING} ORDER BY i.seq`;
// One at a time, since each may have megabytes.
export const NEXT_PENDING = `SELECT ${INPUT_COLUMNS} FROM inputs i
  WHERE i.turn = ? AND i.seq > ? AND ${IS_PENDING} ORDER BY i.seq LIMIT 1`;
export const NEXT_OTHER = `SELECT ${INPUT_COLUMNS} FROM inputs i
  WHERE i.turn = ? AND i.seq > ? AND NOT (${IS_PENDING}) ORDER BY i.seq LIMIT 1`;

export function* listInputs(context: ReadContext, params: ReadParams['loom.input_list']): Slices<string> {
  const { turn } = requireTurn(context.store, params.turn);
  const inputs: string[] = [];
  let bytes = 0;
  let at: ListPosition | null = positionOf(params.cursor);
  while (inputs.length < params.limit && bytes < PAGE_BYTES_MAX) {
    const row: InputRow | null = nextInput(context.store, turn, at);
    if (row === null) return pageJson('inputs', inputs, null);
    const json = inputJson(row);
    inputs.push(json);
    bytes += json.length;
    at = { part: isPending(row) ? 'pending' : 'other', after: row.seq };
    yield;
  }
  const hasMore = nextInput(context.store, turn, at) !== null;
  return pageJson('inputs', inputs, hasMore ? `${at.part}-${at.after}` : null);
}

/** The cursor of the list, whose first part is the pending inputs. */
interface ListPosition {
  part: 'pending' | 'other';
  after: number;
}

function nextInput(store: Store, turn: number, { part, after }: ListPosition): InputRow | null {
  const pending = part === 'pending' ? store.get<InputRow>(NEXT_PENDING, turn, after) : undefined;
  return pending ?? store.get<InputRow>(NEXT_OTHER, turn, part === 'pending' ? 0 : after) ?? null;
}

function positionOf(cursor: string | null): ListPosition {
  if (cursor === null) return { part: 'pending', after: 0 };
  const [, part, after] = /^(pending|other)-(\d{1,15})$/.exec(cursor) ?? [];
  if (after === undefined) throw cursorError(cursor);
  return { part: part === 'pending' ? 'pending' : 'other', after: Number(after) };
}

const isPending = (row: InputRow): boolean => row.node === null && row.dropped_at_ms === null;
