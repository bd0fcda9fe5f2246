import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';

const PIECE_BYTES = 1024 * 1024;
const CHECKED_MAX = 1_000;

interface Checked {
  /** What tells that the file was changed since. */
  state: string;
  digest: Promise<string>;
}

/** Checks an open file against its name; returns its size. */
export type OutputCheck = (file: FileHandle, sha256: string) => Promise<number>;

/** Checks each stored output whole when it is read first: a piece cannot be checked by itself. */
export function createOutputCheck(): OutputCheck {
  const checked = new Map<string, Checked>();

  function digestOnce(file: FileHandle, sha256: string, { state, size }: { state: string; size: number }) {
    const known = checked.get(sha256);
    if (known?.state === state) return known.digest;
    const digest = digestOf(file, size);
    checked.delete(sha256);
    checked.set(sha256, { state, digest });
    for (const oldest of checked.keys()) {
      if (checked.size <= CHECKED_MAX) break;
      checked.delete(oldest);
    }
    return digest;
  }

  return async (file, sha256) => {
    const { ino, mtimeMs, size } = await file.stat();
    const isIntact = (await digestOnce(file, sha256, { state: `${ino} ${mtimeMs} ${size}`, size })) === sha256;
    if (isIntact) return size;
    checked.delete(sha256);
    throw new HubError('storage_failed', `the stored output ${sha256} is damaged: it is not what was stored`, {
      hint: ['restore its file from a backup; what else is damaged says: ', cliCommand('fsck')],
      details: { sha256 },
    });
  };
}

async function digestOf(file: FileHandle, size: number): Promise<string> {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(Math.min(PIECE_BYTES, size));
  for (let offset = 0; offset < size; ) {
    const { bytesRead } = await file.read(piece, 0, piece.length, offset);
    if (bytesRead === 0) break;
    hash.update(piece.subarray(0, bytesRead));
    offset += bytesRead;
  }
  return hash.digest('hex');
}
