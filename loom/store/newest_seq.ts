import type { Store } from './store.js';

/**
 * The newest number of the feed. Every number that was drawn stands in one of two tables, and the newest of them
 * is never deleted: a purge ends by recording itself. So the counter needs no row of its own to be written with
 * every commit, and no number is ever given twice.
 */
export function newestSeq(store: Store): number {
  const row = store.get<{ seq: number | null }>(
    'SELECT max(ifnull((SELECT max(seq) FROM nodes), 0), ifnull((SELECT max(seq) FROM changes), 0)) AS seq',
  );
  return row?.seq ?? 0;
}
