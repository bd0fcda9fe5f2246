/** The most paths that are kept, so that paging through a deep one walks up only once. */
const PATHS_MAX = 8;
/** The most nodes that the kept paths may have together; the newest path is kept whatever its length. */
const PATH_NODES_MAX = 500_000;

/** The last few paths, as row numbers from the root down. */
export interface PathCache {
  get(seq: number): readonly number[] | undefined;
  put(seq: number, path: readonly number[]): void;
  clear(): void;
}

export function createPathCache(): PathCache {
  // A Map remembers the order of insertion: its first entry is the one unused for longest.
  const kept = new Map<number, readonly number[]>();
  let nodeCount = 0;
  const drop = (seq: number): void => {
    nodeCount -= kept.get(seq)?.length ?? 0;
    kept.delete(seq);
  };
  return {
    get(seq) {
      const path = kept.get(seq);
      if (path === undefined) return undefined;
      kept.delete(seq);
      kept.set(seq, path);
      return path;
    },
    put(seq, path) {
      drop(seq);
      kept.set(seq, path);
      nodeCount += path.length;
      for (const oldest of kept.keys()) {
        if (oldest === seq || (kept.size <= PATHS_MAX && nodeCount <= PATH_NODES_MAX)) break;
        drop(oldest);
      }
    },
    clear() {
      kept.clear();
      nodeCount = 0;
    },
  };
}
