/** The paths that git tracks, as byte strings. */
export interface TrackedPaths {
  has(path: string): boolean;
  /** Whether a tracked path lies below a folder. */
  hasBelow(folder: string): boolean;
}

const HEADER_BYTES = 12;
/** Times, owner, size and the like before the hash of the content. */
const STAT_BYTES = 40;
const EXTENDED = 0x4000;
const NAME_LENGTH = 0xfff;
const PATH_LENGTH_MAX = 4_096;
const NAMES_BYTES_MAX = 128 * 1024 * 1024;

/** The paths of an index file of git, versions 2 to 4, in their order; null for what is none. It may be anybody's work. */
export function parseIndex(bytes: Buffer): string[] | null {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'DIRC') return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  // Nothing in the file says how long its hashes are.
  return pathsWith(bytes, 20, version) ?? pathsWith(bytes, 32, version);
}

function pathsWith(bytes: Buffer, hashBytes: number, version: number): string[] | null {
  const paths: string[] = [];
  let total = 0;
  let last: IndexEntry = { path: '', end: HEADER_BYTES };
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const entry = entryAfter(last, bytes, { hashBytes, version });
    total += entry?.path.length ?? 0;
    if (entry === null || total > NAMES_BYTES_MAX) return null;
    last = entry;
    // A split index leaves out the name of what another file holds.
    if (entry.path !== '') paths.push(entry.path);
  }
  return paths;
}

interface IndexEntry {
  path: string;
  end: number;
}

/** The entry behind another one; null where there is none. */
function entryAfter(
  { path: before, end: at }: IndexEntry,
  bytes: Buffer,
  { hashBytes, version }: { hashBytes: number; version: number },
): IndexEntry | null {
  const flagsAt = at + STAT_BYTES + hashBytes;
  if (flagsAt + 4 > bytes.length) return null;
  const flags = bytes.readUInt16BE(flagsAt);
  const nameAt = flagsAt + (flags & EXTENDED && version > 2 ? 4 : 2);
  const isShort = version === 4;
  const cut = isShort ? variableLength(bytes, nameAt) : { length: before.length, start: nameAt };
  const end = cut === null ? -1 : bytes.indexOf(0, cut.start);
  if (cut === null || end < 0 || cut.length > before.length || end - cut.start > PATH_LENGTH_MAX) return null;
  const path = before.slice(0, before.length - cut.length) + bytes.toString('latin1', cut.start, end);
  if (path.length > PATH_LENGTH_MAX || (flags & NAME_LENGTH) !== Math.min(path.length, NAME_LENGTH)) return null;
  // Entries of the earlier versions are filled up to a multiple of eight bytes.
  return { path, end: isShort ? end + 1 : at + Math.floor((end - at + 8) / 8) * 8 };
}

/** A number of git's variable length, and where it ends. */
function variableLength(bytes: Buffer, start: number): { length: number; start: number } | null {
  let at = start;
  let length = (bytes[at] ?? 0) & 127;
  while ((bytes[at] ?? 0) & 128) {
    at += 1;
    length = (length + 1) * 128 + ((bytes[at] ?? 0) & 127);
    if (length > PATH_LENGTH_MAX) return null;
  }
  return { length, start: at + 1 };
}

/** Makes paths searchable. */
export function trackedPaths(paths: readonly string[]): TrackedPaths {
  // An index is sorted, but one that somebody else wrote may not be. Byte strings are compared as bytes are.
  const sorted = [...paths].sort();
  const firstFrom = (path: string): string => {
    let low = 0;
    for (let high = sorted.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] ?? '') < path) low = middle + 1;
      else high = middle;
    }
    return sorted[low] ?? '';
  };
  return {
    has: (path) => firstFrom(path) === path,
    hasBelow: (folder) => firstFrom(`${folder}/`).startsWith(`${folder}/`),
  };
}
