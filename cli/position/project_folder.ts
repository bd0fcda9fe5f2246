import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { userHome } from '../../hub/config/config.js';
import { holdsHome } from '../../hub/config/home_as_project.js';
import { cleanLine } from '../render/text/clean.js';
import { isWorkTree } from './repository.js';

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

/** The folder that a tree works in: its own, while that is there, else where the person is. */
export function workFolder(tree: { project: string | null } | null, here: string): string {
  const folder = tree?.project ?? null;
  return folder !== null && existsSync(folder) ? folder : here;
}

/** A folder as people write it. */
export function shownFolder(folder: string): string {
  const home = userHome();
  return cleanLine(folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder);
}

/**
 * The real path of the repository around a folder, or of the folder itself outside any. As git does, it stays on one disk;
 * and a repository of a whole home folder is the project of that folder only, not of all that lies in it.
 */
export function projectFolder(folder: string): string {
  const start = realpathSync(folder);
  const disk = statSync(start).dev;
  for (let above = start; statSync(above).dev === disk; above = dirname(above)) {
    if (above !== start && holdsHome(above)) return start;
    if (isWorkTree(above)) return above;
    if (above === dirname(above)) return start;
  }
  return start;
}
