import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isWithin } from '../../hub/base/is_within.js';
import type { PolicyCopy } from '../../hub/protocol/policy.js';
import type { MachinePaths } from '../base/tool_parts.js';
import { copyFolder } from '../policy/copy_folder.js';
import { GENERATED_FOLDERS } from '../walk/generated_folders.js';
import { valueOrNull } from './attempt.js';
import type { Mount } from './mounts.js';

/**
 * The mounts of a command that works in a copy: the copy stands at the project's path. Of what covers single paths there only what lies
 * right below the project stays: a model may have put links further down. Folders of installed packages are the project's, read-only.
 */
export function mountsInCopy(mounts: readonly Mount[], copy: PolicyCopy, machine: MachinePaths): Mount[] {
  const { project } = copy;
  const source = copyFolder(copy, machine);
  const kept = mounts.flatMap((mount): Mount[] => {
    if (mount.path === project && mount.kind === 'bind') return [{ ...mount, source }, ...packagesOf(project, source)];
    const isBelow = mount.path !== project && isWithin(mount.path, project);
    const isOwn = mount.kind === 'bind' && mount.writable && mount.source === mount.path;
    return isBelow && (dirname(mount.path) !== project || isOwn) ? [] : [mount];
  });
  return kept;
}

function packagesOf(project: string, source: string): Mount[] {
  const names = [...GENERATED_FOLDERS].filter(
    (name) => isFolderItself(join(project, name)) && isFree(join(source, name)),
  );
  return names.map((name) => {
    const path = join(project, name);
    return { kind: 'bind', path, source: path, writable: false, isFolder: true };
  });
}

/** Whether nothing is there, or what an earlier mount has left. */
function isFree(path: string): boolean {
  const stats = valueOrNull(() => lstatSync(path));
  return stats === null || (stats.isDirectory() && valueOrNull(() => readdirSync(path))?.length === 0);
}

function isFolderItself(path: string): boolean {
  return valueOrNull(() => lstatSync(path))?.isDirectory() === true;
}
