import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isWithin } from '../policy/path_rules.js';
import { answer, attempt } from './try_errno.js';

/** One line of the kernel's list of what is mounted where. */
export interface Mounted {
  path: string;
  /** `ro`, `nosuid` and the like. */
  flags: string[];
}

/** An entry of the topmost folder: a link with its target, or null for what is really there. */
export interface TopEntry {
  path: string;
  link: string | null;
}

const QUIETLY = { throwIfNoEntry: false } as const;

/** Programs are taken from these folders only: a search path may begin in somebody's project. */
const PROGRAM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/current-system/sw/bin'];

export function findProgram(name: string): string | null {
  return PROGRAM_FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** What is mounted now, in the order in which it was. */
export function mountedNow(): Mounted[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [, , , , path = '/', flags = ''] = line.split(' ');
    return { path: unescaped(path), flags: flags.split(',') };
  });
}

/** Whether what is mounted outside from now on would be mounted in copies of what is mounted now, writable, too. */
export function sharesMounts(): boolean {
  const lines = answer(() => readFileSync('/proc/self/mountinfo', 'utf8').split('\n')) ?? [];
  return lines.some((line) => / (?:shared|master):\d+ .*- /.test(line));
}

/** The kernel writes spaces, tabs, line ends and backslashes as octal numbers. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** Flags that whoever binds a part of a mount must keep, because the kernel lets nobody lose them in a user namespace. */
export function lockedFlags(path: string, mounted: readonly Mounted[]): string[] {
  const found = mounted.findLast((one) => isWithin(path, one.path));
  return (found?.flags ?? []).filter((flag) => ['ro', 'nosuid', 'nodev', 'noexec'].includes(flag));
}

/** What of `/proc` belongs to no process and may be written: root stays root towards these, whatever rights it has lost. */
export function kernelFiles(): string[] {
  // Only by their names: asking for their kinds at once fails when a process ends meanwhile.
  return readdirSync('/proc')
    .filter((name) => !/^\d+$/.test(name))
    .map((name) => join('/proc', name))
    .filter(isWritableKernelFile);
}

function isWritableKernelFile(path: string): boolean {
  const found = answer(() => lstatSync(path));
  if (found === null) return true;
  return found.isDirectory() || (found.isFile() && (found.mode & 0o200) !== 0);
}

export function topEntries(): TopEntry[] {
  return readdirSync('/', { withFileTypes: true }).map((entry) => {
    const path = `/${entry.name}`;
    return { path, link: entry.isSymbolicLink() ? readlinkSync(path) : null };
  });
}

export function isFolder(path: string): boolean {
  return answer(() => lstatSync(path, QUIETLY)?.isDirectory()) ?? false;
}

/** Where a path leads in the end; null when that is nowhere. Most of what is asked for is absent, and to throw is dear. */
export function realPath(path: string): string | null {
  return answer(() => lstatSync(path, QUIETLY)) == null ? null : answer(() => realpathSync.native(path));
}

/** Whether what runs here as the same person, without any right of root's, could read it or make it readable. */
export function isWithinReach(path: string): boolean {
  if (answer(() => lstatSync(path).uid) === process.geteuid?.()) return true;
  return (
    attempt(() => accessSync(path, constants.R_OK)) === null || attempt(() => accessSync(path, constants.X_OK)) === null
  );
}

export function isEmptyFolder(path: string): boolean {
  return isFolder(path) && answer(() => readdirSync(path).length === 0) === true;
}

/** The folders between one that holds another and that other, both left out, the outermost first. */
export function foldersBetween(outer: string, inner: string): string[] {
  const between: string[] = [];
  for (let at = dirname(inner); at !== outer && isWithin(at, outer) && at !== '/'; at = dirname(at))
    between.unshift(at);
  return between;
}
