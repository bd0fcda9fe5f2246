import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { hasHandlePaths, O_PATH } from '../../../hub/base/disk/held_folder.js';
import { HubError } from '../../../hub/base/error.js';
import { fallbackOn, shownPath } from './file_errors.js';

/**
 * An open file or folder: whatever is renamed or linked meanwhile, this stays the same one. A name is
 * looked up once, its real path is checked, and everything else goes through the handle.
 */
export interface Pinned {
  /** Its real path at the time. */
  path: string;
  /** A path that reaches exactly this file or folder. */
  at: string;
  stats: Stats;
  handle: FileHandle;
}

/** What a name may lead to: anything, a folder, or a folder that the name itself is, not a link to it. */
export type PinKind = 'any' | 'folder' | 'real-folder';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_RDONLY } = constants;
const DELETED = ' (deleted)';

/** Pins what a path leads to while `use` runs. */
export async function withPinned<T>(path: string, kind: PinKind, use: (pinned: Pinned) => Promise<T>): Promise<T> {
  const pinned = hasHandlePaths ? await pinByHandle(path, kind) : await pinByName(path, kind);
  try {
    return await use(pinned);
  } finally {
    await pinned.handle.close();
  }
}

/** The current real path of a pinned file or folder. */
export async function realPathOf(pinned: Pinned): Promise<string> {
  if (!hasHandlePaths) return realpath(pinned.at);
  const path = await readlink(pinned.at);
  const { nlink } = await pinned.handle.stat();
  if (nlink > 0 && !(path.endsWith(DELETED) && (await isGone(path)))) return path;
  throw new HubError('conflict', `${shownPath(path)}: it was removed meanwhile`, {
    hint: 'try again',
    retryable: true,
  });
}

/** Opens a pinned file for reading, without ever blocking. */
export async function openPinned(pinned: Pinned): Promise<FileHandle> {
  const handle = await open(pinned.at, O_RDONLY | O_NONBLOCK | O_NOCTTY | (hasHandlePaths ? 0 : O_NOFOLLOW));
  if (hasHandlePaths || isSame(await handle.stat(), pinned.stats)) return handle;
  await handle.close();
  throw changed(pinned.path);
}

export function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

async function pinByHandle(path: string, kind: PinKind): Promise<Pinned> {
  const handle = await open(path, O_PATH | flagsOf(kind));
  try {
    const at = `/proc/self/fd/${handle.fd}`;
    const unnamed = { path: '', at, stats: await handle.stat(), handle };
    return { ...unnamed, path: await realPathOf(unnamed) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function pinByName(path: string, kind: PinKind): Promise<Pinned> {
  const real = await realpath(path);
  const before = await lstat(kind === 'real-folder' ? path : real);
  if (!before.isFile() && !before.isDirectory()) throw notRegular(real, before);
  const handle = await open(real, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | (flagsOf(kind) & O_DIRECTORY));
  const stats = await handle.stat();
  if (isSame(before, stats) && (await realpath(real)) === real) return { path: real, at: real, stats, handle };
  await handle.close();
  throw changed(path);
}

function flagsOf(kind: PinKind): number {
  if (kind === 'any') return 0;
  return kind === 'folder' ? O_DIRECTORY : O_DIRECTORY | O_NOFOLLOW;
}

/** Whether nothing has this name: a file may really be called so. */
async function isGone(path: string): Promise<boolean> {
  return (await fallbackOn(['ENOENT'], lstat(path), null)) === null;
}

/** The error for a file that is not the one that was looked at. */
export function changed(path: string): HubError {
  return new HubError('conflict', `${shownPath(path)}: it changed while it was opened`, {
    hint: 'try again',
    retryable: true,
  });
}

/** The error for something that is not a regular file. */
export function notRegular(path: string, stats: Stats): HubError {
  return new HubError('invalid_params', `${shownPath(path)} is ${kindOf(stats)}, not a file`, {
    hint: 'only regular files are read and written; anything else is for a command',
  });
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : 'something else';
}
