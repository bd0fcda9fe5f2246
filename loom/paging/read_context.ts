import type { DamageCache } from '../check/damaged_nodes.js';
import type { HiddenCache } from '../read/archived_descendants.js';
import type { PathCache } from '../read/path_cache.js';
import type { FeedPage, ReadOpName, ReadParams } from '../read/read_methods.js';
import type { SearchIndex } from '../search/index_file.js';
import type { Store } from '../store/store.js';
import type { Slices } from './slices.js';

/** What every reading operation works on. */
export interface ReadContext {
  store: Store;
  paths: PathCache;
  hidden: HiddenCache;
  search: SearchIndex;
  /** How the newest export that leaves out damage has judged its tree. */
  damage: DamageCache;
  /** The folder of the stored outputs. */
  outputs: string;
}

/** One question to the database; what it returns is sent as it is. */
export type ReadOp<O extends ReadOpName> = (
  context: ReadContext,
  params: ReadParams[O],
) => Slices<O extends 'feed' ? FeedPage : string>;

/** Makes an operation of what reads a bounded number of rows at once. */
export function oneSlice<P>(read: (context: ReadContext, params: P) => string) {
  // biome-ignore lint/correctness/useYield: there is nothing to rest between
  return function* (context: ReadContext, params: P): Slices<string> {
    return read(context, params);
  };
}
