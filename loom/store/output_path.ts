import { join } from 'node:path';

/** Where a stored output lies: spread over 256 folders by the first byte of its name. */
export function outputPath(folder: string, sha256: string): string {
  return join(folder, sha256.slice(0, 2), sha256.slice(2));
}
