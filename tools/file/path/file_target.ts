import { constants, type Stats } from 'node:fs';
import { access, chmod, lstat, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../../../hub/base/errno.js';
import { HubError } from '../../../hub/base/error.js';
import { shownPath, unless } from './file_errors.js';
import { isSame, notRegular, type Pinned, withPinned } from './pinned_path.js';
import { type FileGuard, requireReachable, requireWrite } from './policy_guard.js';
import { isFolder } from './similar_paths.js';

/** A name in a folder that is held, and the file that has it, when there is one. */
export interface FileTarget {
  folder: Pinned;
  name: string;
  /** The real path of the name. */
  path: string;
  old: Pinned | null;
}

/** What a change of a file is asked with. */
export interface WantedFile {
  absolute: string;
  /** The path as it was asked for. */
  name: string;
  guard: FileGuard;
}

/** Finds where a path leads for writing, and holds it; folders above a new file are made. */
export async function withTarget<T>(wanted: WantedFile, use: (target: FileTarget) => Promise<T>): Promise<T> {
  const { absolute, name } = wanted;
  if (absolute.endsWith('/')) {
    throw new HubError('invalid_params', `${shownPath(name)} names a folder`, { hint: 'name a file in it' });
  }
  let isThere = false;
  try {
    return await withPinned(absolute, 'any', (old) => {
      isThere = true;
      return withOld(old, wanted, use);
    });
  } catch (error) {
    if (isThere || errnoOf(error) !== 'ENOENT') throw error;
    return withNew(wanted, use);
  }
}

/** The name that a symbolic link leads to is what is written, not the link. */
async function withOld<T>(old: Pinned, wanted: WantedFile, use: (target: FileTarget) => Promise<T>): Promise<T> {
  requireWrite(wanted.guard, old.path, wanted.name);
  await requireReachable(wanted.guard, old);
  if (old.stats.isDirectory()) throw await isFolder(old, { asked: wanted.name, guard: wanted.guard });
  if (!old.stats.isFile()) throw notRegular(wanted.name, old.stats);
  await access(old.at, constants.W_OK);
  return withPinned(dirname(old.path), 'folder', async (folder) => {
    const target = { folder, name: basename(old.path), path: old.path, old };
    await requireUnchanged(target, wanted);
    return use(target);
  });
}

async function withNew<T>(wanted: WantedFile, use: (target: FileTarget) => Promise<T>): Promise<T> {
  const names: string[] = [];
  let folder = dirname(wanted.absolute);
  while ((await statsOf(folder)) === null) {
    names.unshift(basename(folder));
    folder = dirname(folder);
  }
  const name = basename(wanted.absolute);
  return withPinned(folder, 'folder', async (base) => {
    requireWrite(wanted.guard, join(base.path, ...names, name), wanted.name);
    await requireReachable(wanted.guard, base);
    return withFolders({ base, names, wanted }, async (made) => {
      const target = { folder: made, name, path: join(made.path, name), old: null };
      await requireUnchanged(target, wanted);
      return use(target);
    });
  });
}

interface Making {
  base: Pinned;
  names: string[];
  wanted: WantedFile;
}

/** Makes one folder in the other; each is held before the next, and none may be a link. */
async function withFolders<T>({ base, names, wanted }: Making, use: (made: Pinned) => Promise<T>): Promise<T> {
  const [name, ...rest] = names;
  if (name === undefined) return use(base);
  requireWrite(wanted.guard, join(base.path, name), wanted.name);
  const isNew = await makeFolder(join(base.at, name));
  return withPinned(join(base.at, name), 'real-folder', async (made) => {
    requireWrite(wanted.guard, made.path, wanted.name);
    // Said after it was made: this process makes nothing that others may see unless told to.
    if (isNew) await chmod(made.at, 0o700 | (base.stats.mode & 0o2075 & maskBelow(base.stats)));
    return withFolders({ base: made, names: rest, wanted }, use);
  });
}

/** Makes a folder; false when there is one. */
async function makeFolder(path: string): Promise<boolean> {
  return (await unless(['EEXIST'], mkdir(path, { mode: 0o700 }), false)) !== false;
}

/** What others may do with new things in a folder: as with the folder, but never in one that all share. */
export function maskBelow({ mode }: Stats): number {
  const isShared = (mode & 0o1002) !== 0;
  return isShared ? 0o700 : 0o2775;
}

/** Refuses to go on when the name does not stand for what was found any more. */
export async function requireUnchanged({ folder, name, path, old }: FileTarget, wanted: WantedFile): Promise<void> {
  const stats = await statsOf(join(folder.at, name));
  if (old === null && stats === null) return;
  if (old !== null && stats !== null && isAsBefore(stats, old.stats)) return;
  if (old === null && stats?.isSymbolicLink()) {
    throw new HubError('conflict', `${shownPath(wanted.name)} is a symbolic link to something that does not exist`, {
      hint: 'name the file that is meant, or remove the link',
    });
  }
  throw new HubError('conflict', `${shownPath(path)} was changed by somebody else meanwhile; nothing was written`, {
    hint: 'read it again',
    retryable: true,
  });
}

function statsOf(path: string): Promise<Stats | null> {
  return unless(['ENOENT'], lstat(path), null);
}

// Disks tell the time in steps of some milliseconds: what was appended in the same step is told by the size.
function isAsBefore(now: Stats, then: Stats): boolean {
  return isSame(now, then) && now.mtimeMs === then.mtimeMs && now.size === then.size;
}
