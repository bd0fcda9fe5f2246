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
import { isWithin } from '../../hub/base/is_within.js';
import { attempt, valueOrNull } from './attempt.js';

/** One line of the kernel's list of mounts. */
export interface MountInfo {
  path: string;
  /** `ro`, `nosuid` and the like. */
  flags: string[];
}

/** An entry of `/`. */
export interface TopEntry {
  path: string;
  /** The target of a link, or null for anything else. */
  link: string | null;
  isFolder: boolean;
}

const QUIETLY = { throwIfNoEntry: false } as const;

/** Programs are taken from these folders only: a search path may begin in somebody's project. */
const PROGRAM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/current-system/sw/bin'];

export function findProgram(name: string): string | null {
  return PROGRAM_FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** The current mounts, in the order in which they were made. */
export function readMountInfo(): MountInfo[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [, , , , path = '/', flags = ''] = line.split(' ');
    return { path: unescaped(path), flags: flags.split(',') };
  });
}

/** Whether a later mount outside would also appear, writable, in copies of the current mounts. */
export function sharesMounts(): boolean {
  const lines = valueOrNull(() => readFileSync('/proc/self/mountinfo', 'utf8').split('\n')) ?? [];
  return lines.some((line) => / (?:shared|master):\d+ .*- /.test(line));
}

/** The kernel writes spaces, tabs, line ends and backslashes as octal numbers. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** Flags that a bind of a path must keep: in a user namespace the kernel does not let them be dropped. */
export function lockedFlags(path: string, mounts: readonly MountInfo[]) {
  const mount = mounts.findLast((one) => isWithin(path, one.path));
  return (['ro', 'nosuid', 'nodev', 'noexec'] as const).filter((flag) => mount?.flags.includes(flag));
}

/** The result takes a look, and takes it again only when the last one is older. */
export function keptFor<T>(freshMs: number, look: () => T): () => T {
  let last: { found: T; atMs: number } | null = null;
  return () => {
    if (last === null || performance.now() - last.atMs > freshMs) last = { found: look(), atMs: performance.now() };
    return last.found;
  };
}

/** Only a module that is loaded adds such a file. */
const KERNEL_FRESH_MS = 10_000;

/** Writable entries of `/proc` that belong to no process: towards these root stays root, whatever rights it has lost. */
export const kernelFiles = keptFor(KERNEL_FRESH_MS, (): readonly string[] => {
  // Names only: readdir with kinds fails when a process ends meanwhile.
  const names = readdirSync('/proc').filter((name) => !/^\d+$/.test(name));
  return names.map((name) => join('/proc', name)).filter(isWritableKernelFile);
});

/** What only root may read of the kernel's own memory, and could still read without any right. */
export function hiddenKernelFiles(): string[] {
  if (process.geteuid?.() !== 0) return [];
  const names = ['vmallocinfo', 'slabinfo', 'timer_list', 'pagetypeinfo'];
  return names.map((name) => join('/proc', name)).filter(exists);
}

function isWritableKernelFile(path: string): boolean {
  const stats = valueOrNull(() => lstatSync(path));
  if (stats === null) return true;
  return stats.isDirectory() || (stats.isFile() && (stats.mode & 0o200) !== 0);
}

export function topEntries(): TopEntry[] {
  return readdirSync('/', { withFileTypes: true }).map((entry) => {
    const path = `/${entry.name}`;
    return { path, link: entry.isSymbolicLink() ? readlinkSync(path) : null, isFolder: entry.isDirectory() };
  });
}

export function isFolder(path: string): boolean {
  return valueOrNull(() => lstatSync(path, QUIETLY)?.isDirectory()) ?? false;
}

/** The real path; null when there is none. Most paths that are looked up are absent, and throwing is slow. */
export function realPath(path: string): string | null {
  return exists(path) ? valueOrNull(() => realpathSync.native(path)) : null;
}

/** Whether a process of this user without root's capabilities could read it or make it readable. */
export function isWithinReach(path: string): boolean {
  if (valueOrNull(() => lstatSync(path).uid) === process.geteuid?.()) return true;
  return (
    attempt(() => accessSync(path, constants.R_OK)) === null || attempt(() => accessSync(path, constants.X_OK)) === null
  );
}

export function exists(path: string): boolean {
  return valueOrNull(() => lstatSync(path, QUIETLY)) != null;
}

/** Such a file is as good as absent: there is nothing to hide yet. */
export function isEmptyFile(path: string): boolean {
  const stats = valueOrNull(() => lstatSync(path, QUIETLY));
  return stats?.isFile() === true && stats.size === 0;
}

/** Whether nothing is in a folder. */
export function isEmptyFolder(path: string): boolean {
  // A link more for each folder inside, where the file system counts them: then it need not be read.
  const links = valueOrNull(() => lstatSync(path, QUIETLY)?.nlink) ?? 0;
  return links <= 2 && valueOrNull(() => readdirSync(path).length === 0) === true;
}

/** The folders between an outer and an inner one, both left out, the outermost first. */
export function foldersBetween(outer: string, inner: string): string[] {
  const between: string[] = [];
  let folder = dirname(inner);
  for (; folder !== outer && isWithin(folder, outer) && folder !== '/'; folder = dirname(folder))
    between.unshift(folder);
  return between;
}
