/** The ids added last, as an immutable value: adding one copies no more than a chunk. */
export type RecentIds = readonly ReadonlySet<string>[];

const CHUNK_IDS = 256;
const CHUNKS_MAX = 80;

export function withId(ids: RecentIds, id: string): RecentIds {
  if (hasId(ids, id)) return ids;
  const [newest, ...older] = ids;
  if (newest === undefined || newest.size >= CHUNK_IDS) return [new Set([id]), ...ids.slice(0, CHUNKS_MAX - 1)];
  return [new Set([...newest, id]), ...older];
}

export function hasId(ids: RecentIds, id: string): boolean {
  return ids.some((chunk) => chunk.has(id));
}
