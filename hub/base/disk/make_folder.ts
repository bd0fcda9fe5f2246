import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, closed to other users; one that is there stays as it is. Not by `recursive`: on a file
 * system that takes no folders, such as /proc, Node would retry for ever.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(path)) throw error; // another process created it first
  }
}
