import { lstatSync } from 'node:fs';
import { valueOrNull } from './attempt.js';

export type PathKind = 'absent' | 'folder' | 'file' | 'link' | 'other';

/** What a path is, without following a link. */
export function kindOf(path: string): PathKind {
  const stats = valueOrNull(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stats == null) return 'absent';
  if (stats.isDirectory()) return 'folder';
  if (stats.isFile()) return 'file';
  return stats.isSymbolicLink() ? 'link' : 'other';
}
