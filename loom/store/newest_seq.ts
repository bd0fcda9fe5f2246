import type { Store } from './store.js';

/**
 * The newest number of the feed. Every number that was drawn is in one of two tables, and the newest is never deleted,
 * since a purge ends with a change of its own. So the counter needs no row that every commit would write, and no number
 * is drawn twice.
 */
export function newestSeq(store: Store): number {
  const row = store.get<{ seq: number | null }>(
    'SELECT max(ifnull((SELECT max(seq) FROM nodes), 0), ifnull((SELECT max(seq) FROM changes), 0)) AS seq',
  );
  return row?.seq ?? 0;
}
