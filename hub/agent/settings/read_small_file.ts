import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isWithin } from '../../base/is_within.js';

/**
 * The beginning of a text file; null when there is none that may be read. With a folder, what a link leads to outside of it
 * may not: a project that somebody else wrote could point at anything.
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
      // A character that the end cuts through is left out.
      return new TextDecoder().decode(bytes.subarray(0, bytesRead), { stream: bytesRead === bytesMax }).toWellFormed();
    } finally {
      await file.close();
    }
  } catch {
    return null; // it is not there, or not for us to read
  }
}
