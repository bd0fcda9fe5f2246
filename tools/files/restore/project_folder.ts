import { chmodSync, mkdirSync } from 'node:fs';
import { type PinnedEntry, pinIn, unpin } from '../../walk/pinned_folder.js';
import { entryPath, namePath } from '../scan/entry_path.js';
import { errorOf } from './system_call.js';

const OWN = 0o700;
const NEW_FOLDER = 0o755;

/** A path, and what may be done to the folders above it: opened, where their owner may not write in them; made, where they are absent. */
export interface PathPlace {
  path: string;
  may: 'look' | 'open' | 'make';
}

/** Does something in the folder of a path, each folder on the way pinned; null when one is absent, or is no folder. */
export function inFolderOf<T>(
  root: PinnedEntry,
  { path, may }: PathPlace,
  use: (folder: PinnedEntry, name: string) => T,
): T | null {
  const names = path.split('/');
  const last = names.pop() ?? '';
  const pinned: PinnedEntry[] = [];
  try {
    let folder = root;
    for (const name of names) {
      if (may !== 'look') openForOwner(folder);
      const next = pinIn(folder, namePath(name)) ?? (may === 'make' ? made(folder, name) : null);
      if (next === null) return null;
      pinned.push(next);
      if (!next.stats.isDirectory()) return null;
      folder = next;
    }
    if (may !== 'look') openForOwner(folder);
    return use(folder, last);
  } finally {
    for (const entry of pinned) unpin(entry);
  }
}

function made(folder: PinnedEntry, name: string): PinnedEntry | null {
  errorOf(() => mkdirSync(entryPath(folder, name), NEW_FOLDER));
  return pinIn(folder, namePath(name));
}

/** As above, for a call that returns the code of the system's error. */
export function callIn(
  root: PinnedEntry,
  place: PathPlace,
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
