import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isWithin } from '../../base/is_within.js';

/**
 * The beginning of a text file; null when it cannot be read. With `within`, a link out of that folder is not followed: a
 * project that somebody else wrote could point at anything.
 */
export async function readSmallFile(path: string, bytesMax: number, within: string | null): Promise<string | null> {
  try {
    const real = await realpath(path);
    if (within !== null && !isWithin(real, within)) return null;
    // A pipe without a writer would keep its reader waiting.
    const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return null;
      const bytes = Buffer.alloc(bytesMax);
      const { bytesRead } = await file.read(bytes, 0, bytesMax, 0);
      // A character that the limit cuts is left out.
      return new TextDecoder().decode(bytes.subarray(0, bytesRead), { stream: bytesRead === bytesMax }).toWellFormed();
    } finally {
      await file.close();
    }
  } catch {
    return null; // it does not exist, or must not be read
  }
}
