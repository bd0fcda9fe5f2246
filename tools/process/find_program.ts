import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { valueOrNull } from '../sandbox/attempt.js';

/** The real path of a program in a search path, or of one that is named by its own; null for none. Only absolute folders count. */
export function findProgram(name: string, searchPath: string): string | null {
  const paths = isAbsolute(name)
    ? [name]
    : searchPath
        .split(':')
        .filter(isAbsolute)
        .map((folder) => join(folder, name));
  for (const given of paths) {
    const found = valueOrNull(() => {
      const path = realpathSync(given);
      accessSync(path, constants.X_OK);
      return statSync(path).isFile() ? path : null;
    });
    if (found !== null) return found;
  }
  return null;
}

/** The folder that a program needs to be seen with: that of all packages it is installed with, else its own. */
export function folderOf(program: string): string {
  const at = program.indexOf('/node_modules/');
  return at < 0 ? dirname(program) : `${program.slice(0, at)}/node_modules`;
}
