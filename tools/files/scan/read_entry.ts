import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { attempt } from '../../walk/pinned_folder.js';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
const TRIES = 3;

/** The content of a regular file with what the disk said of it before and after; null when it cannot be opened or is none. */
export type FileRead = { kind: 'read'; bytes: Buffer; stats: Stats } | { kind: 'changing' } | null;

/**
 * Reads a regular file whole, again when it changed meanwhile. No link is followed, and nothing waits for a pipe. The bytes hold until the
 * next file is read.
 */
export function readRegular(path: string | Buffer, bytesMax: number): FileRead {
  const fd = attempt(() => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (fd === null) return null;
  try {
    for (let count = 0; count < TRIES; count += 1) {
      const before = fstatSync(fd);
      if (!before.isFile()) return null;
      if (before.size > bytesMax) return { kind: 'changing' };
      const bytes = readWhole(fd, before.size);
      const stats = fstatSync(fd);
      const isSame =
        bytes.length === stats.size && before.mtimeMs === stats.mtimeMs && before.ctimeMs === stats.ctimeMs;
      if (isSame) return { kind: 'read', bytes, stats };
    }
    return { kind: 'changing' };
  } finally {
    closeSync(fd);
  }
}

const scratch = Buffer.allocUnsafe(1024 * 1024);

/** One byte more than the size, to see that there is none. */
function readWhole(fd: number, size: number): Buffer {
  const bytes = size < scratch.length ? scratch.subarray(0, size + 1) : Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    // What is as long as the disk says has ended, or what the disk says afterwards tells otherwise.
    if (length === size && size > 0) break;
    read = readSync(fd, bytes, length, bytes.length - length, length);
  }
  return bytes.subarray(0, length);
}

/** The text of a link as bytes; null when the name stands for none (any more). */
export function readLink(path: string | Buffer): Buffer | null {
  return attempt(() => readlinkSync(path, { encoding: 'buffer' }));
}
