import type { DamageCache } from '../check/damaged_nodes.js';
import type { HiddenCache } from '../read/archived_descendants.js';
import type { PathCache } from '../read/path_cache.js';
import type { FeedPage, ReadOpName, ReadParams } from '../read/read_methods.js';
import type { SoundNodes } from '../read/sound_nodes.js';
import type { SearchIndex } from '../search/index_file.js';
import type { Store } from '../store/store.js';
import type { Slices } from './slices.js';

/** What every read operation works with. */
export interface ReadContext {
  store: Store;
  paths: PathCache;
  hidden: HiddenCache;
  sound: SoundNodes;
  search: SearchIndex;
  /** The damage that the newest export with `undamaged` has found, kept for its next pages. */
  damage: DamageCache;
  /** The folder of the stored outputs. */
  outputs: string;
}

/** One read of the database; its JSON is sent as it is, also where it is bytes of UTF-8 already. */
export type ReadOp<O extends ReadOpName> = (context: ReadContext, params: ReadParams[O]) => Slices<ReadResult<O>>;

type ReadResult<O extends ReadOpName> = O extends 'feed'
  ? FeedPage
  : O extends 'loom.share_read'
    ? Uint8Array<ArrayBuffer>
    : string;

/** Makes an operation of a function that reads a bounded number of rows at once. */
export function oneSlice<P>(read: (context: ReadContext, params: P) => string) {
  // biome-ignore lint/correctness/useYield: there is nothing to rest between
  return function* (context: ReadContext, params: P): Slices<string> {
    return read(context, params);
  };
}
