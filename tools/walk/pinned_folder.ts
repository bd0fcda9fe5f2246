import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { hasHandlePaths, O_PATH } from '../../hub/base/disk/held_folder.js';
import { errnoOf } from '../../hub/base/errno.js';

/**
 * An open file or folder: names are looked up in this very folder, wherever its own name leads meanwhile. The calls here do not wait:
 * nothing is opened before it is known to be a folder or a regular file.
 */
export interface PinnedEntry {
  fd: number;
  stats: Stats;
  /** A path that reaches exactly this entry. */
  at: string;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
const READ = O_RDONLY | O_NONBLOCK | O_NOCTTY;
/** What a project may contain at any time: it is missing, not what it was, or not ours to look into. */
const EXPECTED = [
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'EACCES',
  'EPERM',
  'ENAMETOOLONG',
  'EINVAL',
  'ENXIO',
  'ERR_INVALID_ARG_VALUE',
];

/** Pins what a path leads to; null when nothing can be opened there. */
export function pin(path: string): PinnedEntry | null {
  return attempt(() => (hasHandlePaths ? entryOf(openSync(path, O_PATH), null) : pinByName(realpathSync(path))));
}

/** Pins the entry of a folder with this name; a link is pinned itself, not what it leads to. */
export function pinIn(folder: PinnedEntry, name: string | Buffer): PinnedEntry | null {
  const path = pathIn(folder, name);
  return attempt(() => (hasHandlePaths ? entryOf(openSync(path, O_PATH | O_NOFOLLOW), null) : pinByName(path)));
}

/** Where the entry is now; null when that cannot be told. */
export function realPathOf({ at }: PinnedEntry): string | null {
  return attempt(() => (hasHandlePaths ? readlinkSync(at) : realpathSync(at)));
}

export function unpin({ fd }: PinnedEntry): void {
  if (fd >= 0) closeSync(fd);
}

/** The text of a link; null when the name stands for no link (any more). */
export function linkIn(folder: PinnedEntry, name: string): string | null {
  return attempt(() => readlinkSync(pathIn(folder, name)));
}

/** The beginning of a regular file, and whether that is all of it; null for anything else. */
export function readPinned(file: PinnedEntry, bytesMax: number): { bytes: Buffer; isWhole: boolean } | null {
  if (!file.stats.isFile()) return null;
  return attempt(() => {
    const fd = openSync(file.at, READ | (hasHandlePaths ? 0 : O_NOFOLLOW));
    try {
      const stats = fstatSync(fd);
      if (stats.ino !== file.stats.ino || stats.dev !== file.stats.dev) return null;
      const bytes = Buffer.alloc(Math.min(stats.size, bytesMax) + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read) {
        read = readSync(fd, bytes, length, bytes.length - length, length);
      }
      return { bytes: bytes.subarray(0, Math.min(length, bytesMax)), isWhole: length <= bytesMax };
    } finally {
      closeSync(fd);
    }
  });
}

/** The beginning of the regular file with this name in a folder; null for none, and for a link. */
export function readIn(folder: PinnedEntry, name: string, bytesMax: number): Buffer | null {
  const file = pinIn(folder, name);
  if (file === null) return null;
  try {
    return readPinned(file, bytesMax)?.bytes ?? null;
  } finally {
    unpin(file);
  }
}

function pathIn({ at }: PinnedEntry, name: string | Buffer): string | Buffer {
  return typeof name === 'string' ? `${at}/${name}` : Buffer.concat([Buffer.from(`${at}/`), name]);
}

function entryOf(fd: number, path: string | null): PinnedEntry {
  return { fd, stats: fstatSync(fd), at: path ?? `/proc/self/fd/${fd}` };
}

/** Without handle paths: what is neither folder nor regular file is not opened at all. */
function pinByName(path: string | Buffer): PinnedEntry {
  const stats = lstatSync(path);
  if (!stats.isDirectory() && !stats.isFile()) return { fd: -1, stats, at: String(path) };
  const entry = entryOf(openSync(path, READ | O_NOFOLLOW), String(path));
  if (entry.stats.ino === stats.ino && entry.stats.dev === stats.dev) return entry;
  unpin(entry);
  throw Object.assign(new Error(`${String(path)} changed while it was opened`), { code: 'ENOENT' });
}

/** The result of system calls; null when they fail as they may in a folder that others write. */
export function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    if (EXPECTED.includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}
