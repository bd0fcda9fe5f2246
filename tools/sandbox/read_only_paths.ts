import { basename, join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { isWithin } from '../../hub/base/is_within.js';
import { gitFoldersOf } from './linked_git.js';
import type { MountPoints } from './mount_points.js';
import { kindOf, type PathKind } from './path_kind.js';

/** A path that is mounted on itself: nothing inside can write, rename or replace it. */
export interface Guard {
  path: string;
  /** Whether a mount point is made there while the command runs, because nothing is. */
  isMade: boolean;
}

/**
 * Guards the folders of a writable one through which its own tools run commands later: all of `.git`, and `.cognition`. What is
 * absent is made, or it could be created from inside. Where git is to work, a private folder is mounted over `.git`.
 */
export function guardsOf(root: string, writable: readonly string[], points: MountPoints): Guard[] {
  if (isBareRepository(root)) return [{ path: root, isMade: false }];
  const guards = ['.cognition', '.git'].map((name) => guardOf(join(root, name), points));
  // Of a linked work tree, or one whose git folder was put elsewhere.
  const elsewhere = [...new Set(Object.values(gitFoldersOf(root) ?? {}))].filter(
    (path) =>
      !guards.some((one) => isWithin(path, one.path)) && writable.some((one) => one !== path && isWithin(path, one)),
  );
  return [...guards, ...elsewhere.map((path) => ({ path, isMade: false }))];
}

/** Guards one path. */
export function guardOf(path: string, points: MountPoints): Guard {
  const kind = kindOf(path);
  refuseLink(path, kind);
  return { path, isMade: kind === 'absent' || points.isHeld(path) };
}

/** Whether git would take the folder itself for a repository. */
function isBareRepository(root: string): boolean {
  return (
    kindOf(join(root, 'HEAD')) === 'file' && ['objects', 'refs'].every((name) => kindOf(join(root, name)) === 'folder')
  );
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
