import { createHash, randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import { shownPath, unless } from './file_errors.js';
import { type FileTarget, maskBelow, requireUnchanged, type WantedFile } from './file_target.js';
import { type Pinned, realPathOf } from './pinned_path.js';
import { requireWrite } from './policy_guard.js';
import { takeAccess } from './take_access.js';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
/** A draft of that age was left behind by a process that was killed. */
const LEFT_BEHIND_MS = 60_000;

/**
 * Gives a name new content in one step: whoever reads it sees the old bytes or the new ones, whatever fails meanwhile.
 * Other names of the same file (hard links) keep the old bytes.
 */
export async function replaceContent(target: FileTarget, bytes: Buffer, wanted: WantedFile): Promise<Stats> {
  const { folder, name, old } = target;
  const { handle, draft } = await openDraft(folder, name);
  let isInPlace = false;
  try {
    try {
      const mode = old === null ? modeIn(folder.stats) : await takeAccess(handle, old);
      // Nobody else's program has written to it, whatever copied the access list.
      await handle.truncate(0);
      await handle.writeFile(bytes);
      // Last, for writing takes some bits of it away. A program that runs as its owner is not for a model to replace.
      await handle.chmod(mode & (wanted.guard.isOpen ? 0o7777 : 0o1777));
      await handle.sync();
    } finally {
      await handle.close();
    }
    requireWrite(wanted.guard, join(await realPathOf(folder), name), wanted.name);
    await requireUnchanged(target, wanted);
    await rename(draft, join(folder.at, name));
    isInPlace = true;
  } finally {
    if (!isInPlace) await remove(draft);
  }
  await syncFolder(folder);
  return lstat(join(folder.at, name));
}

/** Opens a new file beside the one it will replace. */
async function openDraft(folder: Pinned, name: string): Promise<{ handle: FileHandle; draft: string }> {
  // The same name each time, so that what a killed process has left is found by the next one that writes this file.
  const known = `.cognition-${createHash('sha256').update(name).digest('hex').slice(0, 16)}.new`;
  const draft = join(folder.at, known);
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

/** Null when something of that name is there. */
async function create(path: string, folder: Pinned): Promise<FileHandle | null> {
  const opened = open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  const handle = await unless(['EEXIST'], unless(['EACCES', 'EPERM'], opened, 'refused' as const), null);
  if (handle !== 'refused') return handle;
  throw new HubError('unauthorised', `no file may be made in ${shownPath(folder.path)}`, {
    hint: 'a file is replaced in one step, with a new one beside it; change this one with a command',
  });
}

async function removeLeftBehind(draft: string): Promise<void> {
  const stats = await unless('any', lstat(draft), null);
  if (stats !== null && Date.now() - stats.mtimeMs > LEFT_BEHIND_MS) await remove(draft);
}

// An error that is being told matters more than that of putting away.
async function remove(path: string): Promise<void> {
  await unless('any', unlink(path), null);
}

/** A new file is open to whom its folder is. */
function modeIn(folder: Stats): number {
  return 0o600 | (folder.mode & 0o064 & maskBelow(folder));
}

// The new content is in place: some disks sync no folders, and some folders may not be opened.
async function syncFolder(folder: Pinned): Promise<void> {
  const handle = await unless('any', open(join(folder.at, '.'), O_RDONLY | O_DIRECTORY), null);
  if (handle === null) return;
  try {
    await unless('any', handle.sync(), null);
  } finally {
    await handle.close();
  }
}
