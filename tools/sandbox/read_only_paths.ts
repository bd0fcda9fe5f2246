import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { isWithin } from '../../hub/base/is_within.js';
import { valueOrNull } from './attempt.js';
import type { MountPoint, MountPoints } from './mount_points.js';

/** A path that is mounted on itself: nothing inside can rename or replace it, nor write it unless it is `writable`. */
export interface Guard {
  path: string;
  writable: boolean;
  /** Made while the command runs, because nothing is there. */
  mountPoint: MountPoint | null;
}

const CONFIG_BYTES_MAX = 1_048_576;

/** `commondir`: what git assumes where there is no such file. */
const COMMONDIR = '.\n';

/**
 * Guards the files of a writable folder through which its own tools run commands later: the settings and hooks of git, and
 * `.cognition`. What is absent is made, or it could be created from inside; `.git` itself is mounted, or it could be renamed.
 */
export function guardsOf(root: string, writable: readonly string[], points: MountPoints): Guard[] {
  const guards = [...guardFolder(join(root, '.cognition'), points), ...guardGit(root, writable, points)];
  if (!isGitFolder(root)) return guards;
  return [...guards, ...guardGitFolder(root, points).filter(({ path, writable: isPin }) => path !== root || !isPin)];
}

function guardFolder(path: string, points: MountPoints): Guard[] {
  const kind = kindOf(path);
  refuseLink(path, kind);
  const isMade = kind === 'absent' || points.isHeld(path);
  return [{ path, writable: false, mountPoint: isMade ? { path, content: null } : null }];
}

function guardGit(root: string, writable: readonly string[], points: MountPoints): Guard[] {
  const path = join(root, '.git');
  const kind = kindOf(path);
  if (kind !== 'file') return isGitFolder(path) ? guardGitFolder(path, points) : guardFolder(path, points);
  const guards: Guard[] = [{ path, writable: false, mountPoint: null }];
  const folder = linkedFolder(root, path);
  if (folder === null) return guards;
  // A linked work tree: its own folder lies in the `worktrees` of the common one, which are read-only.
  const common = valueOrNull(() => realpathSync(resolve(folder, firstLine(join(folder, 'commondir')))));
  const isWritable = (path: string): boolean => writable.some((one) => isWithin(path, one));
  if (common !== null && isWritable(common)) guards.push(...guardGitFolder(common, points));
  if (isWritable(folder)) guards.push(...guardGitFolder(folder, points));
  return guards;
}

/** The folder that a `.git` file names. */
function linkedFolder(root: string, file: string): string | null {
  return valueOrNull(() => realpathSync(resolve(root, firstLine(file).replace(/^gitdir: /, ''))));
}

function firstLine(file: string): string {
  return readFileSync(file, 'utf8').slice(0, 4_096).split('\n', 1)[0] ?? '';
}

function guardGitFolder(folder: string, points: MountPoints): Guard[] {
  const of = (name: string): string => join(folder, name);
  const isLinked = kindOf(of('gitdir')) === 'file';
  const guards = [
    ...(isLinked ? [] : [guard(of('config'), '', points), guard(of('hooks'), null, points)]),
    guard(of('commondir'), COMMONDIR, points),
    ...(hasWorktreeConfig(folder) ? [guard(of('config.worktree'), '', points)] : []),
    ...['modules', 'worktrees', 'gitdir', 'config.worktree']
      .filter((name) => kindOf(of(name)) !== 'absent')
      .map((name) => guard(of(name), null, points)),
  ];
  // A link cannot be mounted on, so that it could be replaced: then all of the folder is read-only.
  if (guards.some(({ path }) => kindOf(path) === 'link')) return [{ path: folder, writable: false, mountPoint: null }];
  return [
    { path: folder, writable: true, mountPoint: null },
    ...new Map(guards.map((one) => [one.path, one])).values(),
  ];
}

function guard(path: string, content: string | null, points: MountPoints): Guard {
  const isMade = kindOf(path) === 'absent' || points.isHeld(path);
  return { path, writable: false, mountPoint: isMade ? { path, content } : null };
}

/** Whether git reads `config.worktree` here. */
function hasWorktreeConfig(folder: string): boolean {
  const config = join(folder, 'config');
  const size = valueOrNull(() => lstatSync(config).size) ?? 0;
  if (size > CONFIG_BYTES_MAX) return true;
  return /worktreeconfig/i.test(valueOrNull(() => readFileSync(config, 'utf8')) ?? '');
}

function isGitFolder(path: string): boolean {
  return kindOf(path) === 'folder' && kindOf(join(path, 'HEAD')) !== 'absent';
}

type PathKind = 'absent' | 'folder' | 'file' | 'link' | 'other';

function kindOf(path: string): PathKind {
  const stats = valueOrNull(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stats == null) return 'absent';
  if (stats.isDirectory()) return 'folder';
  if (stats.isFile()) return 'file';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

function refuseLink(path: string, kind: PathKind): void {
  if (kind !== 'link' && kind !== 'other') return;
  throw new HubError(
    'sandbox_unavailable',
    `${path} is a ${kind === 'link' ? 'symbolic link' : 'special file'}, which cannot be kept from being replaced`,
    {
      hint:
        basename(path) === '.git'
          ? `replace it by a file with one line, "gitdir: " and the folder that it points to`
          : 'replace it by the folder that it points to',
    },
  );
}
