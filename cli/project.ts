import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The real path of the repository around a folder, or of the folder itself outside any. */
export function projectFolder(folder: string): string {
  const start = realpathSync(folder);
  for (let above = start; ; above = dirname(above)) {
    if (existsSync(join(above, '.git'))) return above;
    if (above === dirname(above)) return start;
  }
}
