import { join } from 'node:path';

/** The file of a stored output: they are spread over 256 folders by the first byte of their hash. */
export function outputPath(folder: string, sha256: string): string {
  return join(folder, sha256.slice(0, 2), sha256.slice(2));
}
