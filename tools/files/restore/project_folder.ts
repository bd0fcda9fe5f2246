import { chmodSync, mkdirSync } from 'node:fs';
import { type PinnedEntry, pinIn, unpin } from '../../walk/pinned_folder.js';
import { entryPath } from '../scan/entry_path.js';
import { errorOf } from './system_call.js';

const OWN = 0o700;
const NEW_FOLDER = 0o755;

/**
 * Does something in the folder of a path, each folder on the way pinned; null when one is absent, or is no folder. A folder that its
 * owner may not write is opened. `make`: folders that are absent are made.
 */
export function inFolderOf<T>(
  root: PinnedEntry,
  { path, make }: { path: string; make: boolean },
  use: (folder: PinnedEntry, name: string) => T,
): T | null {
  const names = path.split('/');
  const last = names.pop() ?? '';
  const pinned: PinnedEntry[] = [];
  try {
    let folder = root;
    for (const name of names) {
      openForOwner(folder);
      if (make) errorOf(() => mkdirSync(entryPath(folder, name), NEW_FOLDER));
      const next = pinIn(folder, Buffer.from(name, 'latin1'));
      if (next === null) return null;
      pinned.push(next);
      if (!next.stats.isDirectory()) return null;
      folder = next;
    }
    openForOwner(folder);
    return use(folder, last);
  } finally {
    for (const entry of pinned) unpin(entry);
  }
}

/** As above, for a call that returns the code of the system's error. */
export function callIn(
  root: PinnedEntry,
  place: { path: string; make: boolean },
  call: (at: string | Buffer) => string | null,
): string | null {
  let code: string | null = 'ENOTDIR';
  inFolderOf(root, place, (folder, name) => {
    code = call(entryPath(folder, name));
  });
  return code;
}

function openForOwner({ at, stats }: PinnedEntry): void {
  if ((stats.mode & OWN) !== OWN) errorOf(() => chmodSync(at, (stats.mode & 0o777) | OWN));
}

/** The folders above a path, the nearest first. */
export function foldersAbove(path: string): string[] {
  const found: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) found.push(path.slice(0, at));
  return found;
}
