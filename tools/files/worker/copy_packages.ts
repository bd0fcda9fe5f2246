import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statfsSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../walk/pinned_folder.js';

/** A project, and a new copy of it in which nobody works yet. */
export interface PackagePlaces {
  from: string;
  to: string;
}

interface Found {
  path: string;
  files: number;
  bytes: number;
}

/** Folders of installed packages. Where the copy has one, it belongs to the project's files. */
const PACKAGES: ReadonlySet<string> = new Set(['node_modules', '.venv', 'venv', 'vendor', '__pycache__', '.cache']);
const LEVELS_MAX = 4;
const FOLDERS_MAX = 5_000;
/** Of all that is copied: about two seconds. */
const FILES_MAX = 20_000;
const BYTES_MAX = 300_000_000;
const FREE_BYTES_LEAST = 1_024 ** 3;

/** Copies installed packages, which are not recorded, so that what uses them may write there: the smallest first. Returns those that are left. */
export function copyPackages({ from, to }: PackagePlaces): string[] {
  const found = packagesIn(from, to).map((path) => measured(from, path));
  const left: string[] = [];
  const sum = { files: 0, bytes: 0 };
  for (const { path, files, bytes } of found.sort((a, b) => a.bytes - b.bytes)) {
    sum.files += files;
    sum.bytes += bytes;
    const { bavail, bsize } = statfsSync(to);
    const hasRoom = bavail * bsize - bytes > FREE_BYTES_LEAST;
    if (sum.files <= FILES_MAX && sum.bytes <= BYTES_MAX && hasRoom) copyEntry(join(from, path), join(to, path));
    else left.push(path);
  }
  return left;
}

/** Folders of packages that the copy lacks, by their paths. */
function packagesIn(from: string, to: string): string[] {
  const found: string[] = [];
  const waiting = [{ path: '', levels: 1 }];
  for (let looked = 0; looked < FOLDERS_MAX; looked += 1) {
    const at = waiting.shift();
    if (at === undefined) break;
    const inner = foldersIn(join(from, at.path)).map((name) => ({ name, path: join(at.path, name) }));
    const isOurs = isItself(join(to, at.path));
    found.push(
      ...inner.filter(({ name, path }) => PACKAGES.has(name) && isOurs && isMissing(join(to, path))).map(pathOf),
    );
    const others = at.levels < LEVELS_MAX ? inner.filter(({ name }) => !PACKAGES.has(name)) : [];
    waiting.push(...others.map(({ path }) => ({ path, levels: at.levels + 1 })));
  }
  return found;
}

const pathOf = ({ path }: { path: string }): string => path;

function foldersIn(folder: string): string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.filter((entry) => entry.isDirectory() && entry.name !== '.git').map(({ name }) => name);
}

const isMissing = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined;

/** Whether no part of a path is a link. */
function isItself(path: string): boolean {
  return attempt(() => realpathSync.native(path)) === join(path);
}

/** How much a folder holds; counting ends where it is too much. */
function measured(from: string, path: string): Found {
  const sum: Found = { path, files: 0, bytes: 0 };
  const folders = [join(from, path)];
  for (let at = folders.pop(); at !== undefined && sum.files <= FILES_MAX; at = folders.pop()) {
    for (const entry of attempt(() => readdirSync(at ?? from, { withFileTypes: true })) ?? []) {
      const inner = join(at, entry.name);
      sum.files += 1;
      if (entry.isDirectory()) folders.push(inner);
      else sum.bytes += attempt(() => lstatSync(inner))?.size ?? 0;
    }
  }
  return sum;
}

/** Copies what is there now; what somebody removes meanwhile, sockets and pipes are left out. */
function copyEntry(from: string, to: string): void {
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) {
    mkdirSync(to);
    for (const name of attempt(() => readdirSync(from)) ?? []) copyEntry(join(from, name), join(to, name));
  } else if (stats?.isSymbolicLink() === true) {
    attempt(() => symlinkSync(readlinkSync(from), to));
  } else if (stats?.isFile() === true) {
    // Where the file system can, both share their blocks until one is written to.
    attempt(() => copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE));
  }
}
