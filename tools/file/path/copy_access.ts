import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { fallbackOn } from './file_errors.js';
import type { Pinned } from './pinned_path.js';

const COPY_MS_MAX = 5_000;
/** Where systems keep `cp`, whatever the person's own search path says. */
const SYSTEM_PATH = '/usr/bin:/bin:/run/current-system/sw/bin';
const NOT_PERMITTED = ['EPERM', 'EINVAL'];

/** Gives an empty file the owner and the access list of another; returns the mode to set at the end. */
export async function copyAccess(handle: FileHandle, old: Pinned): Promise<number> {
  const { mode } = old.stats;
  const owner = await keepOwner(handle, old.stats);
  await copyAccessList(handle, old);
  if (owner === 'all') return mode & 0o7777;
  if (owner === 'group') return mode & 0o777;
  // The group is another one, to which nothing was granted but what all others may do.
  return (mode & 0o707) | ((mode & 0o7) << 3);
}

async function keepOwner(handle: FileHandle, { uid, gid }: Stats): Promise<'all' | 'group' | 'none'> {
  const mine = await handle.stat();
  if (mine.uid === uid && mine.gid === gid) return 'all';
  if ((await fallbackOn(NOT_PERMITTED, handle.chown(uid, gid), false)) !== false) return 'all';
  return (await fallbackOn(NOT_PERMITTED, handle.chown(mine.uid, gid), false)) === false ? 'none' : 'group';
}

/**
 * Copies what a mode cannot say: who else may read and write. Where there is an access list, the group's bits of the
 * mode are its limit, so without the list the group would be let in further. Node knows no such lists, but `cp` of GNU does;
 * where that is not so (macOS among others), they are lost.
 */
async function copyAccessList(handle: FileHandle, old: Pinned): Promise<void> {
  if (process.platform !== 'linux') return;
  const parameters = ['--attributes-only', '--preserve=mode', '--', '/proc/self/fd/3', '/proc/self/fd/4'];
  const copy = spawn('cp', parameters, {
    stdio: ['ignore', 'ignore', 'ignore', old.handle.fd, handle.fd],
    env: { PATH: SYSTEM_PATH },
    timeout: COPY_MS_MAX,
    killSignal: 'SIGKILL',
  });
  await fallbackOn('any', once(copy, 'exit'), null);
}
