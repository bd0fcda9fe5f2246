import { constants, existsSync } from 'node:fs';
import { open, readlink, realpath } from 'node:fs/promises';
import { HubError } from '../error.js';

/** Linux: a handle without opening, so that no device and no pipe notices. The same number on all machines Node runs on. */
export const O_PATH = 0o10000000;
/** Whether open files have paths of their own here. Without them (macOS; untested) names are compared twice instead. */
export const hasHandlePaths = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * Holds a folder, given by its real path, and hands on a path that reaches this very folder: whoever may change the folders above it
 * could put a link in its place at any moment. Refuses a folder that has moved already.
 */
export async function withHeldFolder<T>(folder: string, use: (at: string) => Promise<T>): Promise<T> {
  const handle = await open(folder, constants.O_DIRECTORY | (hasHandlePaths ? O_PATH : 0));
  try {
    const at = hasHandlePaths ? `/proc/self/fd/${handle.fd}` : folder;
    const real = hasHandlePaths ? await readlink(at) : await realpath(folder);
    if (real !== folder) throw new HubError('conflict', `the folder ${folder} is another than it was`);
    return await use(at);
  } finally {
    await handle.close();
  }
}
