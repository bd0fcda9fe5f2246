import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { isWithin } from '../../hub/base/is_within.js';
import type { Contained } from '../../hub/protocol/policy.js';
import type { MachinePaths } from '../base/tool_parts.js';
import { isKeptName } from '../policy/home_rules.js';
import { SYSTEM } from '../policy/known_paths.js';
import {
  isBeyondPolicy,
  isProtected,
  privateRoots,
  shownBy,
  skillFoldersOf,
  toolchainsOf,
} from '../policy/path_rules.js';
import { attempt, valueOrNull } from './attempt.js';
import { coversOf } from './hidden_paths.js';
import { isEmptyFile, isEmptyFolder, isFolder, realPath, type TopEntry, topEntries } from './machine.js';
import type { MountPoints } from './mount_points.js';
import { isVisible, type Mount, type MountOverlay, NOTHING } from './mounts.js';
import { mountsInCopy } from './mounts_in_copy.js';
import type { NestedRepositories } from './nested_repositories.js';
import { makeTmpMountPoint } from './tmp_mount_point.js';

export interface MountPlan {
  mounts: Mount[];
  /** Made outside, to be released when the command has ended. */
  mountPoints: string[];
}

export interface PlanRequest {
  policy: Contained;
  machine: MachinePaths;
  cwd: string;
  tmp: string;
  points: MountPoints;
  overlays: readonly MountOverlay[];
  /** Shown besides what the policy shows. */
  extra: readonly Mount[];
  nested: NestedRepositories;
  secrets: () => readonly string[];
}

/** The most things that are mounted for one command. */
const MOUNTS_MAX = 1_000;

/** Private folders of `/` that get content of their own inside. */
const MADE_ANYWAY = ['/run', '/tmp', '/dev', '/proc', '/sys'];

/** The part of `/sys` from which programs learn how many processors there are. */
const SYS_SHOWN = ['/sys/devices/system'];

/** Everything that a command sees: the system read-only and the policy's paths, without secrets, with read-only what executes later. */
export function makePlan(request: PlanRequest): MountPlan {
  const policy = realPolicy(request.policy);
  const mounts = [...baseOf(policy, request), ...pathsOf(policy, request)];
  const mountPoints: string[] = [];
  const failure = attempt(() => {
    const shown = [...policy.writable, ...(policy.readable ?? [])];
    const { writable, named } = policy;
    mounts.push(...coversOf({ mounts, mountPoints, writable, named, request: { ...request, shown } }));
    mounts.push(...request.extra);
    refuseUnusable(mounts, request);
  });
  const { copy } = request.policy;
  if (failure === null)
    return { mounts: copy === undefined ? mounts : mountsInCopy(mounts, copy, request.machine), mountPoints };
  for (const point of mountPoints) request.points.release(point);
  throw failure;
}

interface RealPolicy {
  network: boolean;
  writable: string[];
  /** Before those within another were left out. */
  named: string[];
  readable: string[] | null;
}

function realPolicy(policy: Contained): RealPolicy {
  const { readable, writable } = shownBy(policy);
  const all = [...new Set(writable.map(realWritable))].sort();
  const isIn = (path: string, folders: readonly string[]): boolean =>
    folders.some((one) => one !== path && isWithin(path, one));
  const reading = (readable ?? []).flatMap((path) => realPath(path) ?? []);
  return {
    network: policy.network,
    // A path in another writable folder is writable already; mounting it again would follow links put there meanwhile.
    writable: all.filter((path) => !isIn(path, all)),
    named: all,
    readable: readable === null ? null : [...new Set(reading)].filter((path) => !isBeyondPolicy(path)).sort(),
  };
}

function realWritable(path: string): string {
  const real = realPath(path);
  if (real !== null && !isBeyondPolicy(real)) return real;
  const what = real === null ? 'does not exist' : `is ${real}, which belongs to the kernel`;
  throw new HubError('sandbox_unavailable', `the policy lets ${path} be written, but it ${what}`, {
    hint: 'make the folder first, or leave it out of the policy',
  });
}

/** The system, read-only, with its private folders left out or covered. */
function baseOf(policy: RealPolicy, { machine, tmp }: PlanRequest): Mount[] {
  const hidden = privateRoots(machine);
  const isHidden = (path: string): boolean => hidden.some((one) => isWithin(path, one));
  const all = topEntries();
  const tops = all.filter(({ path }) => !isHidden(path));
  const emptied = all.filter(
    (entry) => entry.isFolder && !MADE_ANYWAY.includes(entry.path) && !tops.some(({ path }) => path === entry.path),
  );
  const mounts = [
    ...emptied.map(({ path }): Mount => ({ kind: 'folder', path })),
    ...(policy.readable === null ? tops.map(topMount) : SYSTEM.flatMap((path) => systemMount(path, tops))),
  ];
  const covers = hidden.filter(
    (path) =>
      path !== '/var/tmp' && isFolder(path) && isVisible(path, mounts) && !tops.some((top) => top.path === path),
  );
  mounts.push(empty('/run'), ...covers.map((path) => cover(path, policy)));
  for (const path of ['/tmp', '/var/tmp'].filter(isFolder)) {
    mounts.push({ kind: 'bind', path, source: tmp, writable: true, isFolder: true });
  }
  mounts.push(...SYS_SHOWN.filter(isFolder).map(readOnly));
  return policy.network ? [...mounts, ...nameServers(mounts)] : mounts;
}

function topMount({ path, link, isFolder }: TopEntry): Mount {
  if (link !== null) return { kind: 'link', path, target: link };
  // Each mount takes time: a file of nothing, such as the mark of a container, is a link to nothing.
  if (!isFolder && isEmptyFile(path)) return { kind: 'link', path, target: NOTHING };
  // Making an empty folder is cheaper than mounting one.
  if (isFolder && isEmptyFolder(path)) return { kind: 'folder', path };
  return { kind: 'bind', path, source: path, writable: false, isFolder };
}

function systemMount(path: string, tops: readonly TopEntry[]): Mount[] {
  const top = tops.find((one) => one.path === path);
  if (top !== undefined) return [topMount(top)];
  return isFolder(path) ? [readOnly(path)] : [];
}

function readOnly(path: string): Mount {
  return bind(path, false);
}

function bind(path: string, writable: boolean): Mount {
  return { kind: 'bind', path, source: path, writable, isFolder: isFolder(path) };
}

function empty(path: string): Mount {
  return { kind: 'empty', path, writable: true };
}

/** An empty folder over a private one; writable while mount points for the policy's paths must be made in it. */
function cover(path: string, { writable, readable }: RealPolicy): Mount {
  const isNeeded = [...writable, ...(readable ?? [])].some((one) => one !== path && isWithin(one, path));
  return { kind: 'empty', path, writable: isNeeded || path === '/var/run' };
}

/** The file that names the DNS servers, which often lies in a hidden folder. */
function nameServers(mounts: readonly Mount[]): Mount[] {
  const file = realPath('/etc/resolv.conf');
  return file === null || isVisible(file, mounts) ? [] : [readOnly(file)];
}

/** An empty home folder with the toolchains and skills of the real one, then the policy's own paths. */
function pathsOf(policy: RealPolicy, { machine, tmp }: PlanRequest): Mount[] {
  const shown = [
    // A writable folder around it shows all of it.
    ...(policy.writable.some((root) => isWithin(machine.userHome, root)) ? [] : emptyHome(machine)),
    ...(policy.readable ?? []).map(readOnly),
    ...policy.writable.flatMap((path) => [bind(path, !isProtected(path)), ...keptHome(path, machine)]),
  ];
  return [...tmpFoldersFor(shown, tmp).map(empty), ...shown];
}

function emptyHome(machine: MachinePaths): Mount[] {
  const { userHome } = machine;
  const toolchains = toolchainsOf(machine).flatMap((path) => realPath(path) ?? []);
  return [
    ...(userHome !== '/' && isFolder(userHome) ? [empty(userHome)] : []),
    ...toolchains.filter((path) => isWithin(path, userHome)).map(readOnly),
    ...skillFoldersOf(machine)
      .filter((path) => realPath(path) === path && isFolder(path))
      .map(readOnly),
  ];
}

/**
 * A home folder in a writable one: its hidden entries are read-only, and nothing new can be made beside them, since nobody can
 * make but names that run nothing. What else lies in it is writable.
 */
function keptHome(root: string, { userHome }: MachinePaths): Mount[] {
  if (userHome === '/' || !isWithin(userHome, root) || !isFolder(userHome)) return [];
  const entries = valueOrNull(() => readdirSync(userHome, { withFileTypes: true })) ?? [];
  const open = entries.filter((entry) => !isKeptName(entry.name) && (entry.isDirectory() || entry.isFile()));
  return [readOnly(userHome), ...open.map(({ name }) => bind(join(userHome, name), true))];
}

/** The folders right below `/tmp` and `/var/tmp` to cover, so that a path shown in one of them shows nothing beside it. */
function tmpFoldersFor(shown: readonly Mount[], tmp: string): string[] {
  const below = shown.flatMap(({ path }) => /^(\/(?:tmp|var\/tmp)\/[^/]+)/.exec(path)?.[1] ?? []);
  for (const first of new Set(below)) makeTmpMountPoint(first, tmp);
  return [...new Set(below)].filter((first) => !shown.some(({ path }) => path === first));
}

function refuseUnusable(mounts: readonly Mount[], { cwd, machine }: PlanRequest): void {
  if (mounts.length > MOUNTS_MAX) {
    throw new HubError('limit', `the sandbox would need ${mounts.length} mounts, the most is ${MOUNTS_MAX}`, {
      hint: 'name fewer and larger folders in the policy',
    });
  }
  const mount = mounts.findLast(({ path }) => isWithin(cwd, path));
  const isHidden = mount?.kind === 'folder' && privateRoots(machine).includes(cwd);
  if (!isHidden && mount !== undefined && (mount.kind === 'bind' || mount.path === cwd)) return;
  throw new HubError('sandbox_unavailable', `the command would begin in ${cwd}, which its policy does not show`, {
    hint: 'begin in a folder that the policy names',
  });
}
