import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { isWithin } from '../../hub/base/is_within.js';
import { valueOrNull } from '../sandbox/attempt.js';
import { firstLine, type GitFolders, gitFoldersOf } from '../sandbox/linked_git.js';
import { kindOf } from '../sandbox/path_kind.js';

/** Names the private folder of a project. */
const PrivateGitId = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .brand<'PrivateGitId'>();
export type PrivateGitId = z.infer<typeof PrivateGitId>;

/** Where the git of a project's folder is. */
export type GitLayout =
  /** `isFile`: its `.git` is a file that names the folder, as in linked work trees and submodules. */
  | ({ kind: 'repository'; isFile: boolean } & GitFolders)
  | { kind: 'none' }
  /** No private folder can stand for it. */
  | { kind: 'unusual'; reason: string };

/** Paths that a fingerprint watches, most of them absent. */
const WATCHED_OWN = ['HEAD', 'index', 'config.worktree', 'info/sparse-checkout'];
const WATCHED_COMMON = ['packed-refs', 'config', 'shallow', 'info/exclude', 'info/attributes', 'reftable/tables.list'];
const ENTRIES_MAX = 20_000;

export function privateGitId(root: string): PrivateGitId {
  return PrivateGitId.parse(createHash('sha256').update(root).digest('hex'));
}

export function gitLayoutOf(root: string): GitLayout {
  const kind = kindOf(join(root, '.git'));
  if (kind === 'other' || kind === 'link') return { kind: 'unusual', reason: '.git is neither a folder nor a file' };
  const folders = kind === 'absent' ? null : gitFoldersOf(root);
  if (folders === null) return kind === 'file' ? unusual('.git names no folder') : { kind: 'none' };
  const { own, common } = folders;
  if (kindOf(join(own, 'HEAD')) === 'absent')
    return kind === 'file' ? unusual('.git names no folder') : { kind: 'none' };
  if (!isWithin(own, common)) return unusual('its git folders lie apart');
  if (kind === 'file' && !pointsBack(own, root))
    return unusual('the folder that .git names belongs to no such work tree');
  if (kindOf(join(common, 'objects')) !== 'folder') return unusual('its objects are in no folder');
  if (kindOf(join(common, 'objects/info/alternates')) !== 'absent') return unusual('some of its objects are elsewhere');
  return { kind: 'repository', isFile: kind === 'file', own, common };
}

function unusual(reason: string): GitLayout {
  return { kind: 'unusual', reason };
}

/** Otherwise a file that came with the project could name any other repository of the person's. */
function pointsBack(own: string, root: string): boolean {
  const linked = valueOrNull(() => realpathSync(dirname(resolve(own, firstLine(join(own, 'gitdir'))))));
  if (linked === root) return true;
  const config = valueOrNull(() => readFileSync(join(own, 'config'), 'utf8')) ?? '';
  const named = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(config)?.[1];
  return named !== undefined && valueOrNull(() => realpathSync(resolve(own, named))) === root;
}

/** Differs when git has changed the folders: it replaces files rather than writing them. */
export function fingerprintOf({ own, common }: GitFolders): string {
  const hash = createHash('sha256');
  let entries = 0;
  const add = (path: string): void => {
    const stats = valueOrNull(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
    hash.update(`${path}\0${stats?.ino} ${stats?.size} ${stats?.mtimeNs} ${stats?.ctimeNs}\n`);
    entries += 1;
    if (stats?.isDirectory() !== true || entries > ENTRIES_MAX) return;
    for (const name of (valueOrNull(() => readdirSync(path)) ?? []).sort()) add(join(path, name));
  };
  for (const name of WATCHED_OWN) add(join(own, name));
  for (const name of WATCHED_COMMON) add(join(common, name));
  for (const name of ['heads', 'tags', 'remotes', 'stash']) add(join(common, 'refs', name));
  return hash.digest('hex');
}
