import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Sha256 } from '../../hub/protocol/node.js';
import { outputPath } from '../outputs/output_path.js';
import type { Slices } from '../paging/slices.js';

const PIECE_BYTES = 1024 * 1024;

/** The problem of a stored output's file; null when its content matches its name. */
export function* outputProblem(folder: string, sha256: Sha256): Slices<string | null> {
  const file = openOrNull(outputPath(folder, sha256));
  if (file === null) return `its stored output ${sha256} is missing or cannot be read`;
  try {
    const hash = createHash('sha256');
    const piece = Buffer.alloc(Math.min(PIECE_BYTES, fstatSync(file).size + 1));
    for (let length = readSync(file, piece); length > 0; length = readSync(file, piece)) {
      hash.update(piece.subarray(0, length));
      yield;
    }
    return hash.digest('hex') === sha256 ? null : `its stored output ${sha256} is not what its name says`;
  } catch (error) {
    // A read error of the disk is a finding, not a failure of the check.
    if (error instanceof Error) return `its stored output ${sha256} cannot be read: ${error.message}`;
    throw error;
  } finally {
    closeSync(file);
  }
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    // A file that cannot be opened is a finding, not a failure of the check.
    if (error instanceof Error) return null;
    throw error;
  }
}
