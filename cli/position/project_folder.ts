import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HubError } from '../../hub/base/error.js';

/** The working folder; fails when it has been removed. */
export function workingFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new HubError('not_found', 'the folder that you are in is not there any more', {
      hint: 'go to another one with cd',
      cause: error,
    });
  }
}

/** The real path of the repository around a folder, or of the folder itself outside any. */
export function projectFolder(folder: string): string {
  const start = realpathSync(folder);
  for (let above = start; ; above = dirname(above)) {
    if (existsSync(join(above, '.git'))) return above;
    if (above === dirname(above)) return start;
  }
}
