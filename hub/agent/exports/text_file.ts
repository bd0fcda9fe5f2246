import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errnoOf } from '../../base/errno.js';

const PIECE_BYTES = 64 * 1024;

/** Opens a file for as long as it is used. A pipe, which somebody may have put in its place, is not waited for. */
export async function withFile<T>(path: string, flags: number, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags | constants.O_NONBLOCK, 0o600);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** For a catch: null when a file or its folder is missing. */
export function nullIfMissing(error: unknown): null {
  const code = errnoOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}

export async function bytesAt(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}

/** The line that begins at an offset; null when it has no end, or is longer than the limit. */
export async function lineAt(file: FileHandle, start: number, bytesMax: number): Promise<string | null> {
  const pieces: Buffer[] = [];
  for (let offset = start; offset - start < bytesMax; offset += PIECE_BYTES) {
    const piece = await bytesAt(file, offset, offset + PIECE_BYTES);
    const end = piece.indexOf('\n');
    pieces.push(end < 0 ? piece : piece.subarray(0, end));
    if (end >= 0) return Buffer.concat(pieces).toString();
    if (piece.length < PIECE_BYTES) return null;
  }
  return null;
}

/** Where a text stands last before an offset; -1 when it does not. */
export async function lastIndexOf(file: FileHandle, text: string, before: number): Promise<number> {
  for (let end = before; end > 0; ) {
    const start = Math.max(0, end - PIECE_BYTES);
    // It may stand across two pieces.
    const index = (await bytesAt(file, start, Math.min(before, end + text.length - 1))).lastIndexOf(text);
    if (index >= 0) return start + index;
    end = start;
  }
  return -1;
}

/** Writes the end of a file anew from an offset on. When that fails, as on a full disk, the file ends with `rest` instead. */
export async function writeEnd(
  file: FileHandle,
  offset: number,
  { bytes, rest }: { bytes: Buffer; rest: string },
): Promise<void> {
  try {
    await writeAt(file, offset, bytes);
  } catch (error) {
    await writeAt(file, offset, Buffer.from(rest));
    throw error;
  }
}

async function writeAt(file: FileHandle, offset: number, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
  }
  await file.truncate(offset + bytes.length);
}
