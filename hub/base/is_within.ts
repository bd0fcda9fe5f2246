import { posix } from 'node:path';

/**
 * Whether an absolute path is a folder or lies below it. It compares text only and follows no links: where links matter,
 * give real paths. An empty path is nowhere.
 */
export function isWithin(path: string, folder: string): boolean {
  const outer = trimmed(folder);
  const inner = trimmed(path);
  if (inner === '' || outer === '') return false;
  return inner === outer || inner.startsWith(outer === '/' ? outer : `${outer}/`);
}

/** The path without `..` steps and without a slash at its end. It is called for every file of a search, so it rarely copies. */
function trimmed(path: string): string {
  const plain = path.includes('/..') ? posix.normalize(path) : path;
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}
