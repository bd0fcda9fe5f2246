import type { Slices } from '../paging/slices.js';
import type { Store } from '../store/store.js';

/** The most trees whose hidden nodes are cached, so that paging through one scans it only once. */
const KEPT_MAX = 4;
/** The walk reads two small columns of each node. */
const WALK_ROWS = 2_000;

export const PARENTS_AFTER = `
  SELECT n.seq, n.parent FROM nodes n WHERE n.tree = ? AND n.seq > ? ORDER BY n.seq LIMIT ${WALK_ROWS}`;

interface Descendants {
  found: Set<number>;
  /** Every node of the tree up to here has been scanned; later ones are scanned by the next call. */
  scannedTo: number;
}

/** The nodes in archived branches, by tree. */
export interface HiddenCache {
  nodesOf(store: Store, tree: number): Slices<ReadonlySet<number>>;
  clear(): void;
}

/** Caches by the archived tops themselves: nodes never move, so an entry stays valid. */
export function createHiddenCache(): HiddenCache {
  const cache = new Map<string, Descendants>();
  return {
    *nodesOf(store, tree) {
      const sql = 'SELECT node FROM archived_branches WHERE tree = ? ORDER BY node';
      const tops = store.all<{ node: number }>(sql, tree).map((row) => row.node);
      if (tops.length === 0) return new Set();
      const key = `${tree}:${tops.join(',')}`;
      const entry = cache.get(key) ?? startingAt(tops);
      cache.delete(key);
      cache.set(key, entry);
      for (const oldest of cache.keys()) {
        if (cache.size <= KEPT_MAX) break;
        cache.delete(oldest);
      }
      yield* scanFurther(store, tree, entry);
      return entry.found;
    },
    clear: () => cache.clear(),
  };
}

/** A node and all its descendants. */
export function* withDescendants(store: Store, tree: number, top: number): Slices<ReadonlySet<number>> {
  const entry = startingAt([top]);
  yield* scanFurther(store, tree, entry);
  return entry.found;
}

function startingAt(tops: readonly number[]): Descendants {
  return { found: new Set(tops), scannedTo: Math.min(...tops) };
}

// Parents precede their children, so one pass in the order of the feed is enough.
function* scanFurther(store: Store, tree: number, entry: Descendants): Slices<void> {
  for (;;) {
    const rows = store.all<{ seq: number; parent: number | null }>(PARENTS_AFTER, tree, entry.scannedTo);
    for (const row of rows) if (row.parent !== null && entry.found.has(row.parent)) entry.found.add(row.seq);
    entry.scannedTo = rows.at(-1)?.seq ?? entry.scannedTo;
    if (rows.length < WALK_ROWS) return;
    yield;
  }
}
