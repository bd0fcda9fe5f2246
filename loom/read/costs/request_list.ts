import { HubError } from '../../../hub/base/error.js';
import { cursorNumber, limitedPageJson } from '../../paging/page_json.js';
import type { ReadContext } from '../../paging/read_context.js';
import { requireTree, requireTurn } from '../../store/require_rows.js';
import { REQUEST_COLUMNS, type RequestRow, requestJson } from '../../store/turn_rows.js';
import type { ReadParams } from '../read_methods.js';

const BEFORE = 'r.request < ? ORDER BY r.request DESC LIMIT ?';
export const LISTED_OF_TREE = `SELECT ${REQUEST_COLUMNS} FROM requests r WHERE r.tree = ? AND ${BEFORE}`;
export const LISTED_OF_TURN = `SELECT ${REQUEST_COLUMNS} FROM requests r WHERE r.turn = ? AND ${BEFORE}`;

export function listRequests(context: ReadContext, params: ReadParams['loom.request_list']): string {
  const { sql, of } = listedRows(context, params);
  const before = cursorNumber(params.cursor, Number.MAX_SAFE_INTEGER);
  const rows = context.store.all<RequestRow>(sql, of, before, params.limit + 1);
  return limitedPageJson('requests', rows, { limit: params.limit, json: requestJson, cursorOf: (row) => row.request });
}

function listedRows(
  { store }: ReadContext,
  { tree, turn }: ReadParams['loom.request_list'],
): { sql: string; of: number } {
  if (tree !== null && turn === null) return { sql: LISTED_OF_TREE, of: requireTree(store, tree).tree };
  if (turn !== null && tree === null) return { sql: LISTED_OF_TURN, of: requireTurn(store, turn).turn };
  throw new HubError('invalid_params', 'requests are listed of a tree or of a turn', {
    hint: 'give one of the two: tree, turn',
  });
}
