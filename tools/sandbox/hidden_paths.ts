import { dirname } from 'node:path';
import { isWithin } from '../../hub/base/is_within.js';
import type { MachinePaths } from '../base/tool_parts.js';
import { isKeptInHome, keptBelow } from '../policy/home_rules.js';
import { secretsOf } from '../policy/path_rules.js';
import { exists, foldersBetween, isEmptyFile, isFolder, isWithinReach, keptFor, realPath } from './machine.js';
import type { MountPoints } from './mount_points.js';
import { isVisible, type Mount, type MountOverlay } from './mounts.js';
import type { NestedRepositories } from './nested_repositories.js';
import { type Guard, guardOf, guardsOf } from './read_only_paths.js';
import { visibleSockets } from './sockets.js';

export interface CoverRequest {
  /** The mounts so far. */
  mounts: readonly Mount[];
  /** Gains what is made outside. */
  mountPoints: string[];
  writable: readonly string[];
  /** All writable folders that the policy names, also those within another. */
  named: readonly string[];
  /** `shown`: the paths that the policy names. */
  request: {
    machine: MachinePaths;
    points: MountPoints;
    shown: readonly string[];
    overlays: readonly MountOverlay[];
    nested: NestedRepositories;
    secrets: () => readonly string[];
  };
}

/** Only the person makes another secret, and a command that runs by then would see it as well. */
const SECRETS_FRESH_MS = 5_000;

/** The secrets that are here and within reach, by their real paths. */
export function findSecrets(machine: MachinePaths): () => readonly string[] {
  return keptFor(SECRETS_FRESH_MS, () =>
    secretsOf(machine)
      .flatMap((path) => realPath(path) ?? [])
      .filter(isWithinReach),
  );
}

/** The mounts over the policy's paths: files that execute later become read-only, secrets and sockets are covered. */
export function coversOf({ mounts, mountPoints, writable, named, request }: CoverRequest): Mount[] {
  const { machine, points } = request;
  const mountOf = ({ path, isMade }: Guard): Mount | [] => {
    if (!isMade) return onItself(path, false);
    if (points.hold(path)) {
      mountPoints.push(path);
      // What holds a mount point is nobody's file: git would add it.
      return { kind: 'empty', path, writable: false };
    }
    // The owner of the folder could open it from inside, and then make what cannot be made here now.
    return isFolder(dirname(path)) ? onItself(dirname(path), false) : [];
  };
  const guards = [
    ...named.filter(isFolder).flatMap((root) => guardsOf(root, writable, points)),
    ...writable.filter(isFolder).flatMap((root) => keptBelow(root, machine).map((path) => guardOf(path, points))),
  ].flatMap(mountOf);
  const over = request.overlays.flatMap((one) => (guards.some(({ path }) => path === one.over) ? one.mounts : []));
  // Not pinned: one that is renamed takes its mount along, and what takes its place is another repository.
  const nested = writable
    .flatMap((root) => request.nested.below(root))
    .filter((path) => exists(path) && !guards.some((guard) => isWithin(path, guard.path)))
    // The mount point of another command, which would be gone when that one ends.
    .flatMap((path) => mountOf({ path, isMade: points.isHeld(path) }));
  const masks = masksOf([...mounts, ...guards, ...over, ...nested], request);
  const covered = [...guards, ...masks].map(({ path }) => path);
  const pins = pinsOf([...covered, realPath(machine.cognitionHome) ?? ''], writable);
  // What cannot be written need not be pinned, nor what is mounted already.
  const needed = pins.filter(
    ({ path }) => !isKeptInHome(path, writable, machine) && !mounts.some((mount) => mount.path === path),
  );
  // An overlay hides the guard below it.
  const seen = guards.filter((guard) => !over.some(({ path }) => path === guard.path));
  return [...needed, ...seen, ...over, ...nested, ...masks];
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

function masksOf(mounts: readonly Mount[], { secrets, shown }: CoverRequest['request']): Mount[] {
  const all = [...mounts];
  for (const path of secrets()) {
    if (isVisible(path, all) && exists(path) && !isEmptyFile(path))
      all.push(isFolder(path) ? { kind: 'empty', path, writable: false } : { kind: 'nothing', path });
  }
  const sockets = visibleSockets(shown, (path) => isVisible(path, all));
  all.push(...sockets.map((path): Mount => ({ kind: 'nothing', path })));
  return all.slice(mounts.length);
}
