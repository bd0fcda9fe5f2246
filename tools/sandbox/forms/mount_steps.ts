import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { isWithin } from '../../../hub/base/is_within.js';
import { valueOrNull } from '../attempt.js';
import { hiddenKernelFiles, kernelFiles, lockedFlags, type MountInfo, readMountInfo } from '../machine.js';
import { type Mount, NOTHING } from '../mounts.js';

/** Where the new root is built: every Linux has this folder, and nothing of it is shown. */
export const BASE = '/sys/fs';
/** Files that only the construction needs: the new `/proc` covers them at the end. */
export const STORE = `${BASE}/proc`;
export const MEMORY = '1g';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

/** How a root is put together in a folder in memory at `BASE`: first what mounts stand on, then the mounts in order. */
export interface MountSteps {
  folders: string[];
  files: string[];
  /** Copied into the root. */
  links: string[];
  mounts: MountStep[];
}

export interface MountStep {
  /** `bind` takes along what is mounted below, `remount` only sets the flags, anything else is a kind of file system. */
  kind: 'bind' | 'remount' | 'tmpfs' | 'devpts' | 'proc';
  source: string;
  target: string;
  flags: MountFlag[];
  options: string;
}

export type MountFlag = 'ro' | 'nosuid' | 'nodev' | 'noexec';

export function mountStepsOf(mounts: readonly Mount[]): MountSteps {
  const mountInfo = readMountInfo();
  const steps: MountSteps = {
    folders: [`${BASE}/dev/pts`, `${BASE}/dev/shm`, STORE],
    files: [],
    links: [],
    mounts: [],
  };
  const stores = new Map<Mount, string>();
  for (const [index, mount] of mounts.entries()) {
    if (mount.kind === 'link') {
      // One of ours stands for an empty file, and links to nothing.
      if (mount.target === NOTHING) steps.files.push(`${BASE}${mount.path}`);
      else steps.links.push(mount.path);
      continue;
    }
    if (mount.kind === 'folder') {
      steps.folders.push(`${BASE}${mount.path}`);
      continue;
    }
    const parent = mounts.slice(0, index).findLast((one) => one.kind !== 'folder' && isWithin(mount.path, one.path));
    addMountPoint(steps, mount, mountPointOf(mount.path, parent, stores));
    const store = mount.kind === 'empty' && mount.writable ? `${STORE}/store${stores.size}` : null;
    if (store !== null) steps.folders.push(store);
    if (store !== null) stores.set(mount, store);
    steps.mounts.push(...stepsFor(mount, { store, parent, mountInfo }));
  }
  steps.files.push(...[...DEVICES, 'ptmx'].map((name) => `${BASE}/dev/${name}`));
  steps.mounts.push(...closingSteps(mountInfo));
  return steps;
}

function addMountPoint({ folders, files }: MountSteps, mount: Mount, path: string | null): void {
  if (path === null) return;
  const isFolder = mount.kind === 'empty' || (mount.kind === 'bind' && mount.isFolder);
  folders.push(isFolder ? path : dirname(path));
  if (!isFolder) files.push(path);
}

/** The mount point to make; null when it exists in the mount below. */
function mountPointOf(path: string, parent: Mount | undefined, stores: ReadonlyMap<Mount, string>): string | null {
  if (parent === undefined) return `${BASE}${path}`;
  const store = stores.get(parent);
  return store === undefined || path === parent.path ? null : `${store}${path.slice(parent.path.length)}`;
}

interface StepContext {
  store: string | null;
  parent: Mount | undefined;
  mountInfo: readonly MountInfo[];
}

function stepsFor(
  mount: Exclude<Mount, { kind: 'link' | 'folder' }>,
  { store, parent, mountInfo }: StepContext,
): MountStep[] {
  const target = `${BASE}${mount.path}`;
  if (mount.kind === 'nothing') return [step('bind', ['/dev/null', target], ['ro', ...safe('/dev/null', mountInfo)])];
  if (mount.kind === 'empty' && store !== null) return [step('bind', [store, target], ['nosuid', 'nodev'])];
  if (mount.kind === 'empty') {
    return [{ ...step('tmpfs', ['cognition-empty', target], ['ro', 'nosuid', 'nodev']), options: 'mode=755,size=4k' }];
  }
  const { source, writable } = mount;
  const mode: MountFlag[] = writable ? [] : ['ro'];
  // A recursive bind takes the mounts below along, but its flags hold for the topmost only.
  const below = mountsBelow(source, mountInfo).map((path) =>
    step('remount', ['none', `${target}${path.slice(source.length)}`], [...mode, ...safe(path, mountInfo)]),
  );
  // A mount point came along with the bind of its parent.
  const isThere =
    parent?.kind === 'bind' && parent.source === parent.path && mountInfo.some(({ path }) => path === mount.path);
  const own = isThere ? step('remount', ['none', target], []) : step('bind', [source, target], []);
  return [{ ...own, flags: [...mode, ...safe(source, mountInfo)] }, ...below];
}

/** Reachable mounts below a folder: one that cannot be reached from here cannot be reached from inside either. */
function mountsBelow(folder: string, mountInfo: readonly MountInfo[]): string[] {
  const paths = mountInfo.map(({ path }) => path).filter((path) => path !== folder && isWithin(path, folder));
  return [...new Set(paths)].filter((path) => valueOrNull(() => lstatSync(path)) !== null);
}

function safe(path: string, mountInfo: readonly MountInfo[]): MountFlag[] {
  return [...new Set<MountFlag>(['nosuid', 'nodev', ...lockedFlags(path, mountInfo)])];
}

function closingSteps(mountInfo: readonly MountInfo[]): MountStep[] {
  const devices = DEVICES.map((name) => {
    const kept = lockedFlags('/dev/null', mountInfo).filter((flag) => flag !== 'nodev');
    return step('bind', [`/dev/${name}`, `${BASE}/dev/${name}`], kept);
  });
  const none: MountFlag[] = ['nosuid', 'nodev', 'noexec'];
  return [
    ...devices,
    {
      ...step('tmpfs', ['cognition-shm', `${BASE}/dev/shm`], ['nosuid', 'nodev']),
      options: `mode=1777,size=${MEMORY}`,
    },
    {
      ...step('devpts', ['cognition-pts', `${BASE}/dev/pts`], ['nosuid', 'noexec']),
      options: 'newinstance,ptmxmode=666,mode=620',
    },
    step('bind', [`${BASE}/dev/pts/ptmx`, `${BASE}/dev/ptmx`], []),
    step('proc', ['cognition-proc', `${BASE}/proc`], none),
    ...kernelFiles().map((path) => step('bind', [`${BASE}${path}`, `${BASE}${path}`], ['ro', ...none])),
    ...hiddenKernelFiles().map((path) => step('bind', ['/dev/null', `${BASE}${path}`], ['ro', ...none])),
    step('remount', ['none', BASE], ['ro', 'nosuid', 'nodev']),
  ];
}

function step(kind: MountStep['kind'], [source, target]: [string, string], flags: MountFlag[]): MountStep {
  return { kind, source, target, flags, options: '' };
}
