import { createHash } from 'node:crypto';
import type { Pieces } from '../../base/store_output.js';

export interface BytesDigest {
  sha256: string;
  totalBytes: number;
  /** Null when there were more bytes than `wholeBytesMax`. */
  whole: Buffer | null;
  head: Buffer;
  tail: Buffer;
}

/** How much to hold: everything up to `wholeBytesMax`, and always the two ends. */
export interface DigestLimits {
  wholeBytesMax: number;
  endBytes: number;
}

/** Hashes a stream of any length and holds its ends. */
export async function digestBytes(pieces: Pieces, { wholeBytesMax, endBytes }: DigestLimits): Promise<BytesDigest> {
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
