import { sha256Of } from '../../base/sha256.js';
import { openPinned, type Pinned } from '../path/pinned_path.js';
import { fileSource, piecesFrom } from './byte_source.js';
import { type Encoding, encodingOf, type LineEnds, lineEndsOf } from './encoding.js';

/** A file of more bytes is neither edited nor compared with what replaces it. */
export const CHANGED_BYTES_MAX = 16 * 1024 * 1024;

/** The encoding and line ends of a larger one are taken from so many bytes. */
const START_BYTES = 1024 * 1024;

/** A file as it was before a change. */
export interface OldContent {
  /** Null when it is too large to hold. */
  bytes: Buffer | null;
  sha256: string | null;
  sizeBytes: number;
  encoding: Encoding;
  ends: LineEnds;
}

export async function readOldContent(old: Pinned, signal: AbortSignal): Promise<OldContent> {
  const handle = await openPinned(old);
  try {
    const { size } = await handle.stat();
    const isHeld = size <= CHANGED_BYTES_MAX;
    const to = isHeld ? CHANGED_BYTES_MAX : START_BYTES;
    const pieces: Buffer[] = [];
    for await (const piece of piecesFrom(fileSource(handle, size), { from: 0, to, signal })) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    const encoding = encodingOf(bytes);
    const ends = lineEndsOf(bytes.subarray(encoding.markBytes), encoding);
    const content = isHeld ? { bytes, sha256: sha256Of([bytes]) } : { bytes: null, sha256: null };
    return { ...content, sizeBytes: size, encoding, ends };
  } finally {
    await handle.close();
  }
}
