import type { PinnedEntry } from '../../walk/pinned_folder.js';

/** A path to the entry of a pinned folder with this name, a byte string. */
export function entryPath({ at }: Pick<PinnedEntry, 'at'>, name: string): string | Buffer {
  // Almost all names are plain.
  return /^[ -~]*$/.test(name) ? `${at}/${name}` : Buffer.from(`${at}/${name}`, 'latin1');
}
