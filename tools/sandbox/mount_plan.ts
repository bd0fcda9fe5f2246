import { HubError } from '../../hub/base/error.js';
import type { Contained } from '../../hub/protocol/policy.js';
import type { MachinePlace } from '../base/parts.js';
import { SYSTEM } from '../policy/known_paths.js';
import {
  isBeyondPolicy,
  isProtected,
  isWithin,
  privateRoots,
  shownBy,
  skillFoldersOf,
  toolchainsOf,
} from '../policy/path_rules.js';
import { coversOf } from './hidden_paths.js';
import { isEmptyFolder, isFolder, realPath, type TopEntry, topEntries } from './machine.js';
import { makeRoomFor } from './make_tmp_room.js';
import type { MountPoint, MountPoints } from './mount_points.js';
import { isVisible, type Mount } from './mounts.js';
import { attempt } from './try_errno.js';

export interface MountPlan {
  mounts: Mount[];
  /** Made outside, to be released when the command has ended. */
  mountPoints: MountPoint[];
}

export interface PlanRequest {
  policy: Contained;
  place: MachinePlace;
  cwd: string;
  tmp: string;
  points: MountPoints;
}

/** The most things that are mounted for one command. */
const MOUNTS_MAX = 1_000;

/** Private ones of the topmost folders that have something of their own in them inside. */
const MADE_ANYWAY = ['/run', '/tmp', '/dev', '/proc', '/sys'];

/** Of the kernel's own settings: what programs read to learn how many processors there are. */
const SYS_SHOWN = ['/sys/devices/system'];

/** What is in sight of a command: the system read-only, the policy's paths, and nothing of what is secret or executes later. */
export function makePlan(request: PlanRequest): MountPlan {
  const policy = realPolicy(request.policy);
  const mounts = [...baseOf(policy, request), ...pathsOf(policy, request)];
  const mountPoints: MountPoint[] = [];
  const failure = attempt(() => {
    const shown = [...policy.writable, ...(policy.readable ?? [])];
    mounts.push(...coversOf({ mounts, mountPoints, writable: policy.writable, request: { ...request, shown } }));
    refuse(mounts, request);
  });
  if (failure === null) return { mounts, mountPoints };
  for (const point of mountPoints) request.points.release(point);
  throw failure;
}

interface RealPolicy {
  network: boolean;
  writable: string[];
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
    // What lies in another writable folder is writable already; to mount it again would follow what is put there meanwhile.
    writable: all.filter((path) => !isIn(path, all)),
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

/** The system, read-only, with what is private of it left out or covered, and the programs in the person's home folder. */
function baseOf(policy: RealPolicy, { place, tmp }: PlanRequest): Mount[] {
  const hidden = privateRoots(place);
  const isHidden = (path: string): boolean => hidden.some((one) => isWithin(path, one));
  const all = topEntries();
  const tops = all.filter(({ path }) => !isHidden(path));
  const emptied = all.filter(
    ({ path, link }) =>
      link === null && !MADE_ANYWAY.includes(path) && !tops.some((top) => top.path === path) && isFolder(path),
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

function topMount({ path, link }: TopEntry): Mount {
  if (link !== null) return { kind: 'link', path, target: link };
  // To make an empty folder costs less than to mount one.
  return isEmptyFolder(path) ? { kind: 'folder', path } : readOnly(path);
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

/** An empty folder in the place of a private one; in it, a place can be made for what the policy names there. */
function cover(path: string, { writable, readable }: RealPolicy): Mount {
  const isNeeded = [...writable, ...(readable ?? [])].some((one) => one !== path && isWithin(one, path));
  return { kind: 'empty', path, writable: isNeeded || path === '/var/run' };
}

/** With the network goes the file that says who knows names, which often lies among the hidden ones. */
function nameServers(mounts: readonly Mount[]): Mount[] {
  const file = realPath('/etc/resolv.conf');
  return file === null || isVisible(file, mounts) ? [] : [readOnly(file)];
}

/** An empty home folder with the programs of the real one, then the policy's own paths. */
function pathsOf(policy: RealPolicy, { place, tmp }: PlanRequest): Mount[] {
  const home = place.userHome !== '/' && isFolder(place.userHome) ? [place.userHome] : [];
  const toolchains = toolchainsOf(place).flatMap((path) => realPath(path) ?? []);
  const shown = [
    ...home.map(empty),
    ...toolchains.filter((path) => isWithin(path, place.userHome)).map(readOnly),
    ...skillFoldersOf(place)
      .filter((path) => realPath(path) === path && isFolder(path))
      .map(readOnly),
    ...(policy.readable ?? []).map(readOnly),
    ...policy.writable.map((path): Mount => bind(path, !isProtected(path))),
  ];
  return [...roomsFor(shown, tmp).map(empty), ...shown];
}

/** What is shown below a temporary folder stands in an empty folder of its own, out of reach of what is kept there. */
function roomsFor(shown: readonly Mount[], tmp: string): string[] {
  const below = shown.flatMap(({ path }) => /^(\/(?:tmp|var\/tmp)\/[^/]+)/.exec(path)?.[1] ?? []);
  for (const first of new Set(below)) makeRoomFor(first, tmp);
  return [...new Set(below)].filter((first) => !shown.some(({ path }) => path === first));
}

function refuse(mounts: readonly Mount[], { cwd, place }: PlanRequest): void {
  if (mounts.length > MOUNTS_MAX) {
    throw new HubError('limit', `the sandbox would need ${mounts.length} mounts, the most is ${MOUNTS_MAX}`, {
      hint: 'name fewer and larger folders in the policy',
    });
  }
  const over = mounts.findLast(({ path }) => isWithin(cwd, path));
  const isHidden = over?.kind === 'folder' && privateRoots(place).includes(cwd);
  if (!isHidden && over !== undefined && (over.kind === 'bind' || over.path === cwd)) return;
  throw new HubError('sandbox_unavailable', `the command would begin in ${cwd}, which its policy does not show`, {
    hint: 'begin in a folder that the policy names',
  });
}
