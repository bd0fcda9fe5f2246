import { join } from 'node:path';
import type { Sha256 } from '../../hub/protocol/node.js';

/** The file of a stored output: they are spread over 256 folders by the first byte of their hash. */
export function outputPath(folder: string, sha256: Sha256): string {
  return join(folder, sha256.slice(0, 2), sha256.slice(2));
}

// The protocol's own schema would bring zod into the reading thread.
export function isSha256(text: string): text is Sha256 {
  return /^[0-9a-f]{64}$/.test(text);
}
