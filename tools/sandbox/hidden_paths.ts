import { dirname } from 'node:path';
import { isWithin } from '../../hub/base/is_within.js';
import type { MachinePaths } from '../base/tool_parts.js';
import { secretsOf } from '../policy/path_rules.js';
import { foldersBetween, isFolder, isWithinReach, realPath } from './machine.js';
import type { MountPoint, MountPoints } from './mount_points.js';
import { isVisible, type Mount } from './mounts.js';
import { guardsOf } from './read_only_paths.js';
import { visibleSockets } from './sockets.js';

export interface CoverRequest {
  /** The mounts so far. */
  mounts: readonly Mount[];
  /** Gains what is made outside. */
  mountPoints: MountPoint[];
  writable: readonly string[];
  /** `shown`: the paths that the policy names. */
  request: { machine: MachinePaths; points: MountPoints; shown: readonly string[] };
}

/** The mounts over the policy's paths: files that execute later become read-only, secrets and sockets are covered. */
export function coversOf({ mounts, mountPoints, writable, request }: CoverRequest): Mount[] {
  const { machine, points } = request;
  const guards = writable
    .filter(isFolder)
    .flatMap((root) => guardsOf(root, writable, points))
    .flatMap(({ path, writable: isWritable, mountPoint: point }) => {
      const isHeld = point === null || points.hold(point);
      if (isHeld && point !== null) mountPoints.push(point);
      if (isHeld) return onItself(path, isWritable);
      // The owner of the folder could open it from inside, and then make what cannot be made here now.
      return isFolder(dirname(path)) ? onItself(dirname(path), false) : [];
    });
  const masks = masksOf([...mounts, ...guards], request);
  const covered = [...guards, ...masks].map(({ path }) => path);
  return [...pinsOf([...covered, realPath(machine.cognitionHome) ?? ''], writable), ...guards, ...masks];
}

function onItself(path: string, writable: boolean): Mount {
  return { kind: 'bind', path, source: path, writable, isFolder: isFolder(path) };
}

/**
 * Folders above what is guarded or covered are mounted on themselves: a folder that holds a mount can be renamed. Then another
 * could take its name, or the next command would find what was covered under the new name.
 */
function pinsOf(paths: readonly string[], writable: readonly string[]): Mount[] {
  const pins = paths.flatMap((path) => {
    const root = writable.find((one) => one !== path && isWithin(path, one));
    return root === undefined ? [] : foldersBetween(root, path).filter((folder) => !paths.includes(folder));
  });
  return [...new Set(pins)].sort().map((path) => onItself(path, true));
}

function masksOf(mounts: readonly Mount[], { machine, shown }: CoverRequest['request']): Mount[] {
  const all = [...mounts];
  const secrets = secretsOf(machine).flatMap((path) => realPath(path) ?? []);
  for (const path of secrets) {
    if (isVisible(path, all) && isWithinReach(path))
      all.push(isFolder(path) ? { kind: 'empty', path, writable: false } : { kind: 'nothing', path });
  }
  const sockets = visibleSockets(shown, (path) => isVisible(path, all));
  all.push(...sockets.map((path): Mount => ({ kind: 'nothing', path })));
  return all.slice(mounts.length);
}
