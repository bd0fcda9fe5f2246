import type { Stats } from 'node:fs';
import type { BlobStore } from '../store/blob_store.js';
import { type LeftOut, putContent } from '../store/snapshot.js';
import type { TreeEntry } from '../store/tree_format.js';
import { statOf } from './folder_state.js';
import { type KnownFolder, MODE_BITS } from './known_files.js';
import { readLink, readRegular } from './read_entry.js';
import { type ScanLimits, tooLong } from './scan_limits.js';

interface ReaderParts {
  store: BlobStore;
  clock(): number;
}

interface EntryPlace {
  /** A path to it, which may be its name in the working directory. */
  at: string | Buffer;
  device: number;
  known: KnownFolder;
}

/** What is recorded of a file or a link; why it is left out; null when it is not there any more. */
type Recorded = TreeEntry | LeftOut['why'] | null;

/** Reads files and links into the store, unless the disk says that they have not changed. */
export function entryReader({ store, clock }: ReaderParts, { fileBytes: fileBytesMax, ms }: ScanLimits) {
  const endsAtMs = clock() + ms;
  const refuseLate = (): void => {
    if (clock() > endsAtMs) throw tooLong(ms);
  };

  function linkAt(name: string, { at, known }: EntryPlace, stats: Stats): Recorded {
    const readAtMs = clock();
    const text = readLink(at);
    if (text === null) return null;
    const sha256 = store.put(text, 'compressed');
    const entry = known.sameEntry(name, { kind: 'link', mode: MODE_BITS, size: text.length, sha256 });
    known.keep(name, { entry, stats, readAtMs });
    return entry;
  }

  function fileAt(name: string, { at, known }: EntryPlace, { size }: Stats): Recorded {
    if (size > fileBytesMax) return 'too large';
    const readAtMs = clock();
    const read = readRegular(at, fileBytesMax);
    if (read === null) return 'not readable';
    if (read.kind === 'changing') return 'changing';
    const { bytes, stats } = read;
    // Spelled out: of objects that are spread each one has a shape of its own, which takes more memory than the object.
    const { kind, sha256 } = putContent(store, bytes);
    const entry = known.sameEntry(name, { kind, mode: stats.mode & MODE_BITS, size: bytes.length, sha256 });
    known.keep(name, { entry, stats, readAtMs });
    return entry;
  }

  function readEntry(name: string, place: EntryPlace): Recorded {
    const { at, device, known } = place;
    refuseLate();
    const stats = statOf(at);
    if (stats === null) return null;
    if (stats.dev !== device) return 'on another disk';
    if (!stats.isSymbolicLink() && !stats.isFile()) return stats.isDirectory() ? null : 'not a file';
    const unchanged = known.find(name, stats);
    if (unchanged !== null) return unchanged;
    return stats.isFile() ? fileAt(name, place, stats) : linkAt(name, place, stats);
  }

  return { readEntry, refuseLate };
}
