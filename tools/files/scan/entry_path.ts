import type { PinnedEntry } from '../../walk/pinned_folder.js';

/** A path to the entry of a pinned folder with this name, a byte string. */
export function entryPath({ at }: Pick<PinnedEntry, 'at'>, name: string): string | Buffer {
  return namePath(`${at}/${name}`);
}

/** A path that is a byte string, as the file system takes it. */
export function namePath(path: string): string | Buffer {
  // Almost all names are plain.
  return /^[ -~]*$/.test(path) ? path : Buffer.from(path, 'latin1');
}
