import { createHash } from 'node:crypto';
import type { Pieces } from '../../base/store_output.js';

/** What is left of bytes that have passed by. */
export interface Passed {
  sha256: string;
  totalBytes: number;
  /** Null when they were more than are held. */
  whole: Buffer | null;
  head: Buffer;
  tail: Buffer;
}

/** How much of passing bytes stays: all of so many, and the two ends of any. */
export interface Staying {
  wholeBytesMax: number;
  endBytes: number;
}

/** Lets bytes pass by, of which there may be any number. */
export async function passedOf(pieces: Pieces, { wholeBytesMax, endBytes }: Staying): Promise<Passed> {
  const hash = createHash('sha256');
  let totalBytes = 0;
  let whole: Buffer[] | null = [];
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    hash.update(bytes);
    totalBytes += bytes.length;
    if (totalBytes > wholeBytesMax) whole = null;
    whole?.push(bytes);
    if (head.length < endBytes) head = Buffer.concat([head, bytes.subarray(0, endBytes - head.length)]);
    tail = Buffer.concat([tail, bytes.subarray(Math.max(0, bytes.length - endBytes))]);
    tail = tail.subarray(Math.max(0, tail.length - endBytes));
  }
  return { sha256: hash.digest('hex'), totalBytes, whole: whole === null ? null : Buffer.concat(whole), head, tail };
}
