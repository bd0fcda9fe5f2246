import { createHash } from 'node:crypto';
import { Sha256 } from '../../hub/protocol/node.js';

/** The SHA-256 of bytes that come in pieces, in hexadecimal digits. */
export function sha256Of(pieces: readonly Uint8Array[]): Sha256 {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return Sha256.parse(hash.digest('hex'));
}
