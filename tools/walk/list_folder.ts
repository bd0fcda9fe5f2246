import { type Dir, type Dirent, opendirSync, readdirSync } from 'node:fs';
import { attempt, type PinnedEntry } from './pinned_folder.js';

/** The names in a folder by what they stand for. They are byte strings: each character is one byte. */
export interface FolderNames {
  files: string[];
  links: string[];
  /** Sockets, pipes and devices. */
  others: string[];
  folders: string[];
  /** Whether there is a `.git`, which is none of the others. */
  hasGit: boolean;
}

const NAMES_PER_STEP = 1_000;
const NAMES_AT_ONCE = 256;
/** A folder of this size, as disks count it, holds thousands of names: it is not read in one go. */
const SIZE_AT_ONCE = 256 * 1024;
const ENCODING = { encoding: 'latin1', bufferSize: NAMES_AT_ONCE } as const;

/** Lists a pinned folder, up to a number of names; rests now and then. One that cannot be read counts as empty. */
export function* listFolder({ at, stats }: PinnedEntry, namesMax: number): Generator<null, FolderNames> {
  const names: FolderNames = { files: [], links: [], others: [], folders: [], hasGit: false };
  if (stats.size < SIZE_AT_ONCE) {
    const all = attempt(() => readdirSync(at, { ...ENCODING, withFileTypes: true })) ?? [];
    for (const entry of all.slice(0, namesMax)) add(entry, names);
    return names;
  }
  const folder: Dir | null = attempt(() => opendirSync(at, ENCODING));
  if (folder === null) return names;
  try {
    for (let count = 1; count <= namesMax; count += 1) {
      const next = folder.readSync();
      if (next === null) break;
      add(next, names);
      if (count % NAMES_PER_STEP === 0) yield null;
    }
    return names;
  } finally {
    folder.closeSync();
  }
}

function add(entry: Dirent, names: FolderNames): void {
  // Some disks do not tell `.GIT` from `.git`.
  if (entry.name.length === 4 && entry.name.toLowerCase() === '.git') names.hasGit = true;
  else if (entry.isFile()) names.files.push(entry.name);
  else if (entry.isDirectory()) names.folders.push(entry.name);
  else (entry.isSymbolicLink() ? names.links : names.others).push(entry.name);
}
