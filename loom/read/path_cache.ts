/** The most paths that are cached, so that paging through a deep one walks up only once. */
const PATHS_MAX = 8;
/** The most nodes of all cached paths together; the newest path is cached whatever its length. */
const PATH_NODES_MAX = 500_000;

/** The most recent paths, as row numbers from the root down. */
export interface PathCache {
  get(seq: number): readonly number[] | undefined;
  put(seq: number, path: readonly number[]): void;
  clear(): void;
}

export function createPathCache(): PathCache {
  // A Map remembers the order of insertion: its first entry is the one unused for longest.
  const cache = new Map<number, readonly number[]>();
  let nodeCount = 0;
  const drop = (seq: number): void => {
    nodeCount -= cache.get(seq)?.length ?? 0;
    cache.delete(seq);
  };
  return {
    get(seq) {
      const path = cache.get(seq);
      if (path === undefined) return undefined;
      cache.delete(seq);
      cache.set(seq, path);
      return path;
    },
    put(seq, path) {
      drop(seq);
      cache.set(seq, path);
      nodeCount += path.length;
      for (const oldest of cache.keys()) {
        if (oldest === seq || (cache.size <= PATHS_MAX && nodeCount <= PATH_NODES_MAX)) break;
        drop(oldest);
      }
    },
    clear() {
      cache.clear();
      nodeCount = 0;
    },
  };
}
