import { lstatSync, type Stats } from 'node:fs';
import { attempt } from '../../walk/pinned_folder.js';
import type { BlobStore } from '../store/blob_store.js';
import { type LeftOut, putContent } from '../store/snapshot.js';
import type { TreeEntry } from '../store/tree_format.js';
import { readLink, readRegular } from './read_entry.js';
import type { StatCache } from './stat_cache.js';

/** What is recorded of a mode: not the bits that lend a user or a group. */
export const MODE_BITS = 0o777;

interface ReaderParts {
  store: BlobStore;
  cache: StatCache;
  clock(): number;
}

/** What is recorded of a file or a link; why it is left out; null when it is not there any more. */
type Recorded = TreeEntry | LeftOut['why'] | null;

/** Reads files and links into the store, unless the disk says that they have not changed. */
export function entryReader({ store, cache, clock }: ReaderParts, fileBytesMax: number) {
  function linkAt(at: string | Buffer): Recorded {
    const text = readLink(at);
    if (text === null) return null;
    return { kind: 'link', mode: MODE_BITS, size: text.length, sha256: store.put(text, 'compressed') };
  }

  function fileAt(path: string, at: string | Buffer, { size }: Stats): Recorded {
    if (size > fileBytesMax) return 'too large';
    const readAtMs = clock();
    const read = readRegular(at, fileBytesMax);
    if (read === null) return 'not readable';
    if (read.kind === 'changing') return 'changing';
    const { bytes, stats } = read;
    const entry = { ...putContent(store, bytes), mode: stats.mode & MODE_BITS, size: bytes.length };
    cache.keep(path, { entry, stats, readAtMs });
    return entry;
  }

  return (path: string, { at, device }: { at: string | Buffer; device: number }): Recorded => {
    const stats = attempt(() => lstatSync(at));
    if (stats === null) return null;
    if (stats.dev !== device) return 'on another disk';
    if (!stats.isSymbolicLink() && !stats.isFile()) return stats.isDirectory() ? null : 'not a file';
    const unchanged = cache.find(path, stats);
    if (unchanged !== null && store.has(unchanged.sha256)) return unchanged;
    return stats.isFile() ? fileAt(path, at, stats) : linkAt(at);
  };
}
