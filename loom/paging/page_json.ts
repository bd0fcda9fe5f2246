import { HubError } from '../../hub/base/error.js';

/** A page of a list as JSON; a null cursor means that there is no more. */
export function pageJson(key: string, items: readonly string[], cursor: string | number | null): string {
  const next = cursor === null ? 'null' : JSON.stringify(String(cursor));
  return `{"${key}":[${items.join(',')}],"cursor":${next}}`;
}

/** The items of a slice as one item: text that was put together keeps all its parts, which take many times its bytes. */
export function oneText(items: readonly string[]): string {
  return items.join(',');
}

/** A page of rows that were read with a limit of one more, which tells whether there is a next page. */
export function limitedPageJson<Row>(
  key: string,
  rows: readonly Row[],
  { limit, json, cursorOf }: { limit: number; json: (row: Row) => string; cursorOf: (row: Row) => string | number },
): string {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return pageJson(key, page.map(json), rows.length > limit && last !== undefined ? cursorOf(last) : null);
}

/** The number that a cursor stands for, or `first` when there is none. */
export function cursorNumber(cursor: string | null, first: number): number {
  if (cursor === null) return first;
  if (!/^\d{1,15}$/.test(cursor)) throw cursorError(cursor);
  return Number(cursor);
}

/** The error for a cursor that this list did not return. */
export function cursorError(cursor: string): HubError {
  return new HubError('invalid_params', `${JSON.stringify(cursor)} is not a cursor of this list`, {
    hint: 'give back the cursor that the page before returned, or none to begin again',
  });
}
