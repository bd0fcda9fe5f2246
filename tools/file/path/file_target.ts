import { constants, type Stats } from 'node:fs';
import { access, chmod, lstat, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../../../hub/base/errno.js';
import { HubError } from '../../../hub/base/error.js';
import { fallbackOn, shownPath } from './file_errors.js';
import { folderError } from './path_errors.js';
import { isSame, notRegular, type Pinned, withPinned } from './pinned_path.js';
import { type FileGuard, requireFolder, requireReachable, requireWrite } from './policy_guard.js';

/** A name in a pinned folder, and the existing file of that name. */
export interface FileTarget {
  folder: Pinned;
  name: string;
  /** The real path of the name. */
  path: string;
  old: Pinned | null;
}

/** The path to change, and what its policy allows. */
export interface TargetRequest {
  absolute: string;
  /** The path as the caller wrote it. */
  name: string;
  guard: FileGuard;
}

/** Pins the file that a path leads to for writing; folders above a new file are made. */
export async function withTarget<T>(request: TargetRequest, use: (target: FileTarget) => Promise<T>): Promise<T> {
  const { absolute, name } = request;
  if (absolute.endsWith('/')) {
    throw new HubError('invalid_params', `${shownPath(name)} names a folder`, { hint: 'name a file in it' });
  }
  let exists = false;
  try {
    return await withPinned(absolute, 'any', (old) => {
      exists = true;
      return withOld(old, request, use);
    });
  } catch (error) {
    if (exists || errnoOf(error) !== 'ENOENT') throw error;
    return withNew(request, use);
  }
}

/** The target of a symbolic link is written, not the link. */
export async function withOld<T>(
  old: Pinned,
  request: TargetRequest,
  use: (target: FileTarget) => Promise<T>,
): Promise<T> {
  requireWrite(request.guard, old.path, request.name);
  await requireReachable(request.guard, old);
  if (old.stats.isDirectory()) throw await folderError(old, { name: request.name, guard: request.guard });
  if (!old.stats.isFile()) throw notRegular(request.name, old.stats);
  await access(old.at, constants.W_OK);
  return withPinned(dirname(old.path), 'folder', async (folder) => {
    const target = { folder, name: basename(old.path), path: old.path, old };
    await requireUnchanged(target, request);
    return use(target);
  });
}

async function withNew<T>(request: TargetRequest, use: (target: FileTarget) => Promise<T>): Promise<T> {
  const names: string[] = [];
  let folder = dirname(request.absolute);
  while ((await statsOf(folder)) === null) {
    names.unshift(basename(folder));
    folder = dirname(folder);
  }
  const name = basename(request.absolute);
  return withPinned(folder, 'folder', async (base) => {
    requireWrite(request.guard, join(base.path, ...names, name), request.name);
    await requireReachable(request.guard, base);
    return withFolders({ base, names, request }, async (made) => {
      const target = { folder: made, name, path: join(made.path, name), old: null };
      await requireUnchanged(target, request);
      return use(target);
    });
  });
}

interface NewFolders {
  base: Pinned;
  names: string[];
  request: TargetRequest;
}

/** Makes nested folders; each is pinned before the next, and none may be a link. */
async function withFolders<T>({ base, names, request }: NewFolders, use: (made: Pinned) => Promise<T>): Promise<T> {
  const [name, ...rest] = names;
  if (name === undefined) return use(base);
  requireFolder(request.guard, join(base.path, name), request.name);
  const isNew = await makeFolder(join(base.at, name));
  return withPinned(join(base.at, name), 'real-folder', async (made) => {
    requireFolder(request.guard, made.path, request.name);
    // After mkdir, because the umask of this process grants nothing to others.
    if (isNew) await chmod(made.at, 0o700 | (base.stats.mode & 0o2075 & maskBelow(base.stats)));
    return withFolders({ base: made, names: rest, request }, use);
  });
}

/** Makes a folder; false when it exists. */
async function makeFolder(path: string): Promise<boolean> {
  return (await fallbackOn(['EEXIST'], mkdir(path, { mode: 0o700 }), false)) !== false;
}

/** The mode bits of others for new entries of a folder: those of the folder, but none where all may write. */
export function maskBelow({ mode }: Stats): number {
  const isShared = (mode & 0o1002) !== 0;
  return isShared ? 0o700 : 0o2775;
}

/** Throws when the name no longer stands for the pinned file. */
export async function requireUnchanged({ folder, name, path, old }: FileTarget, request: TargetRequest): Promise<void> {
  const stats = await statsOf(join(folder.at, name));
  if (old === null && stats === null) return;
  if (old !== null && stats !== null && isUnchanged(stats, old.stats)) return;
  if (old === null && stats?.isSymbolicLink()) {
    throw new HubError('conflict', `${shownPath(request.name)} is a symbolic link to something that does not exist`, {
      hint: 'name the file that is meant, or remove the link',
    });
  }
  throw new HubError('conflict', `${shownPath(path)} was changed by somebody else meanwhile; nothing was written`, {
    hint: 'read it again',
    retryable: true,
  });
}

function statsOf(path: string): Promise<Stats | null> {
  return fallbackOn(['ENOENT'], lstat(path), null);
}

// File times have steps of some milliseconds: the size shows what was appended in the same step.
function isUnchanged(now: Stats, then: Stats): boolean {
  return isSame(now, then) && now.mtimeMs === then.mtimeMs && now.size === then.size;
}
