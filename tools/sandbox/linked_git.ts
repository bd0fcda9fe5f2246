import { readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { valueOrNull } from './attempt.js';

/** The real paths of the folders that hold a work tree's own state, and what all its work trees share. */
export interface GitFolders {
  own: string;
  common: string;
}

const FILE_BYTES_MAX = 4_096;

/** The folders of a work tree whose `.git` is a folder, or a file that names one; null when git would not find them. */
export function gitFoldersOf(root: string): GitFolders | null {
  const git = join(root, '.git');
  const named = valueOrNull(() => firstLine(git))?.replace(/^gitdir: /, '');
  const own = valueOrNull(() => realpathSync(resolve(root, named ?? '.git')));
  if (own === null) return null;
  const shared = valueOrNull(() => firstLine(join(own, 'commondir'))) ?? '.';
  const common = valueOrNull(() => realpathSync(resolve(own, shared)));
  return common === null ? null : { own, common };
}

/** The first line of a small file of the person's; throws when it is none. */
export function firstLine(file: string): string {
  return readFileSync(file, 'utf8').slice(0, FILE_BYTES_MAX).split('\n', 1)[0] ?? '';
}
