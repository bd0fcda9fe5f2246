import { accessSync, constants, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { environment } from '../../hub/config/config.js';

/** Git reads no longer gitfile; HEAD holds one line. */
const GITFILE_BYTES_MAX = 1_048_576;
const HEAD = /^(?:ref:\s*refs\/\S|[0-9a-f]{40}(?:[0-9a-f]{24})?\s*$)/;

/** Whether git would open a work tree right here: a `.git` of this person with HEAD, objects and refs, or a gitfile that leads to one. */
export function isWorkTree(folder: string): boolean {
  const path = join(folder, '.git');
  const stats = statsOf(path);
  if (stats === null || !isOwn(stats) || !isOwn(statsOf(folder))) return false;
  if (!stats.isFile()) return isGitFolder(path);
  const target = /^gitdir: (.+?)[\r\n]*$/s.exec(textOf(path, GITFILE_BYTES_MAX))?.[1];
  if (target === undefined) return false;
  const gitFolder = resolve(folder, target);
  return isOwn(statsOf(gitFolder)) && isGitFolder(gitFolder);
}

/** A linked work tree keeps objects and refs in the common folder. */
function isGitFolder(path: string): boolean {
  if (!isHead(join(path, 'HEAD'))) return false;
  const common = resolve(path, textOf(join(path, 'commondir'), GITFILE_BYTES_MAX).trim());
  return ['objects', 'refs'].every((name) => isOpenFolder(join(common, name)));
}

/** Old repositories have a symbolic link as HEAD. */
function isHead(path: string): boolean {
  const link = valueOrNull(() => readlinkSync(path));
  return link === null ? HEAD.test(textOf(path, GITFILE_BYTES_MAX)) : link.startsWith('refs/');
}

/** A folder that may not be entered is closed to git, too. */
function isOpenFolder(path: string): boolean {
  return valueOrNull(() => accessSync(path, constants.X_OK)) !== null && statsOf(path)?.isDirectory() === true;
}

/** Git opens nothing of other people; for root also what belongs to whoever called sudo. */
function isOwn(stats: Stats | null): boolean {
  const user = process.geteuid?.();
  if (stats === null || user === undefined || stats.uid === user) return stats !== null;
  return user === 0 && stats.uid === Number(environment('SUDO_UID') ?? Number.NaN);
}

function statsOf(path: string): Stats | null {
  return valueOrNull(() => statSync(path));
}

/** The text of a regular file; empty when there is none, or it is too large. */
function textOf(path: string, bytesMax: number): string {
  const stats = statsOf(path);
  if (stats === null || !stats.isFile() || stats.size > bytesMax) return '';
  return valueOrNull(() => readFileSync(path, 'utf8')) ?? '';
}

function valueOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null; // absent or closed: git opens neither
  }
}
