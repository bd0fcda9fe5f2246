import { createHash, randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import { copyAccess } from './copy_access.js';
import { fallbackOn, shownPath } from './file_errors.js';
import { type FileTarget, maskBelow, requireUnchanged, type TargetRequest } from './file_target.js';
import { type Pinned, realPathOf } from './pinned_path.js';
import { requireWrite } from './policy_guard.js';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
/** A draft of that age was left by a killed process. */
const LEFT_BEHIND_MS = 60_000;

/**
 * Replaces the content of a name atomically: readers see the old bytes or the new ones, whatever fails meanwhile.
 * Other names of the same file (hard links) keep the old bytes.
 */
export async function replaceContent(target: FileTarget, bytes: Buffer, request: TargetRequest): Promise<Stats> {
  const { folder, name, old } = target;
  const { handle, draft } = await openDraft(folder, name);
  let isInPlace = false;
  try {
    try {
      const mode = old === null ? newFileMode(folder.stats) : await copyAccess(handle, old);
      // Whatever the copying of the access list wrote is removed.
      await handle.truncate(0);
      await handle.writeFile(bytes);
      // Last, because writing clears some bits. A model does not set the bits of a program that runs as its owner.
      await handle.chmod(mode & (request.guard.isOpen ? 0o7777 : 0o1777));
      await handle.sync();
    } finally {
      await handle.close();
    }
    requireWrite(request.guard, join(await realPathOf(folder), name), request.name);
    await requireUnchanged(target, request);
    await rename(draft, join(folder.at, name));
    isInPlace = true;
  } finally {
    if (!isInPlace) await remove(draft);
  }
  await syncFolder(folder);
  return lstat(join(folder.at, name));
}

/** Opens a new file beside the one to replace. */
async function openDraft(folder: Pinned, name: string): Promise<{ handle: FileHandle; draft: string }> {
  // The same name each time, so that the next write of this file finds what a killed process left.
  const fixedName = `.cognition-${createHash('sha256').update(name).digest('hex').slice(0, 16)}.new`;
  const draft = join(folder.at, fixedName);
  await removeLeftBehind(draft);
  const handle = await create(draft, folder);
  if (handle !== null) return { handle, draft };
  const another = join(folder.at, `.cognition-${randomBytes(8).toString('hex')}.new`);
  const other = await create(another, folder);
  if (other !== null) return { handle: other, draft: another };
  throw new HubError('conflict', `${shownPath(folder.path)} has a file of the name of every draft`, {
    hint: 'try again',
  });
}

/** Null when the name exists. */
async function create(path: string, folder: Pinned): Promise<FileHandle | null> {
  const opened = open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  const handle = await fallbackOn(['EEXIST'], fallbackOn(['EACCES', 'EPERM'], opened, 'refused' as const), null);
  if (handle !== 'refused') return handle;
  throw new HubError('unauthorised', `no file may be made in ${shownPath(folder.path)}`, {
    hint: 'a file is replaced in one step, with a new one beside it; change this one with a command',
  });
}

async function removeLeftBehind(draft: string): Promise<void> {
  const stats = await fallbackOn('any', lstat(draft), null);
  if (stats !== null && Date.now() - stats.mtimeMs > LEFT_BEHIND_MS) await remove(draft);
}

// A failure to clean up must not hide the first error.
async function remove(path: string): Promise<void> {
  await fallbackOn('any', unlink(path), null);
}

/** A new file is readable to those to whom its folder is. */
function newFileMode(folder: Stats): number {
  return 0o600 | (folder.mode & 0o064 & maskBelow(folder));
}

// The new content is in place: some disks sync no folders, and some folders may not be opened.
async function syncFolder(folder: Pinned): Promise<void> {
  const handle = await fallbackOn('any', open(join(folder.at, '.'), O_RDONLY | O_DIRECTORY), null);
  if (handle === null) return;
  try {
    await fallbackOn('any', handle.sync(), null);
  } finally {
    await handle.close();
  }
}
