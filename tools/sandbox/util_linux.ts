import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { isWithin } from '../../hub/base/is_within.js';
import { shellQuote } from '../base/shell_quote.js';
import { valueOrNull } from './attempt.js';
import type { FormInput } from './form.js';
import type { Invocation, SandboxCommand } from './invocation.js';
import { findProgram, kernelFiles, lockedFlags, type MountInfo, readMountInfo } from './machine.js';
import type { Mount } from './mounts.js';

/** Where the new root is built: every Linux has this folder, and nothing of it is shown. */
const BASE = '/sys/fs';
/** Files that only the construction needs: the new `/proc` covers them at the end. */
const STORE = `${BASE}/proc`;
const MEMORY = '1g';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
/** The kernel takes no longer argument. */
const SCRIPT_BYTES_MAX = 120_000;

export interface UtilLinux {
  unshare: string;
  setpriv: string;
  setsid: string;
  sh: string;
  mount: string;
  umount: string;
  pivotRoot: string;
  mkdir: string;
  cp: string;
  /** Brings up the loopback of the sandbox's own network; without it there is none. */
  ip: string | null;
  /** Whether to run in a user namespace, in which nobody may make another. */
  userNamespace: boolean;
}

/** The programs that this form runs; null when one is missing. */
export function findUtilLinux(userNamespace: boolean): UtilLinux | null {
  const [unshare, setpriv, setsid, sh] = ['unshare', 'setpriv', 'setsid', 'sh'].map(findProgram);
  const [mount, umount, pivotRoot, mkdir, cp] = ['mount', 'umount', 'pivot_root', 'mkdir', 'cp'].map(findProgram);
  if (!unshare || !setpriv || !setsid || !sh) return null;
  if (!mount || !umount || !pivotRoot || !mkdir || !cp) return null;
  return {
    ...{ unshare, setpriv, setsid, sh, mount, umount, pivotRoot, mkdir, cp },
    ip: findProgram('ip'),
    userNamespace,
  };
}

/** Makes namespaces, mounts the plan in them with a script, drops every capability and starts the command. */
export function utilLinuxInvocation({ plan, command }: FormInput, form: UtilLinux): Invocation {
  const script = scriptOf(plan.mounts, command, form);
  if (Buffer.byteLength(script) > SCRIPT_BYTES_MAX) {
    throw new HubError('limit', `the policy's paths make a script of more than ${SCRIPT_BYTES_MAX} bytes`, {
      hint: 'name fewer and larger folders in the policy, or install bubblewrap',
    });
  }
  const namespaces = [
    '--mount',
    '--propagation',
    'private',
    '--pid',
    '--fork',
    '--kill-child',
    '--ipc',
    '--uts',
    '--cgroup',
  ];
  const user = form.userNamespace ? ['--user', '--map-root-user'] : [];
  const network = command.policy.network ? [] : ['--net'];
  return {
    program: form.setpriv,
    arguments: [
      ...['--pdeathsig', 'KILL', form.unshare, ...user, ...namespaces, ...network],
      ...[form.sh, '-c', script, 'sh', command.program, ...command.arguments],
    ],
  };
}

function scriptOf(mounts: readonly Mount[], command: SandboxCommand, form: UtilLinux): string {
  const { folders, files, table } = layoutOf(mounts);
  const links = mounts.flatMap((mount) => (mount.kind === 'link' ? shellQuote(mount.path) : []));
  const limit = form.userNamespace ? ['echo 1 >/proc/sys/user/max_user_namespaces'] : [];
  const nested = form.userNamespace
    ? `${form.unshare} --user --map-user=${process.getuid?.()} --map-group=${process.getgid?.()} --keep-caps`
    : '';
  const drop = `${form.setpriv} --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all --pdeathsig KILL`;
  return [
    ...['set -e', ...limit],
    ...(form.ip !== null && !command.policy.network ? [`${form.ip} link set lo up || :`] : []),
    `${form.mount} -t tmpfs -o mode=755,size=${MEMORY},nosuid,nodev cognition ${BASE}`,
    `${form.mkdir} -p ${folders.map(shellQuote).join(' ')}`,
    ...files.map((file) => `: >${shellQuote(file)}`),
    ...(links.length === 0 ? [] : [`${form.cp} -P ${links.join(' ')} ${BASE}/`]),
    `${form.cp} -P /dev/fd /dev/stdin /dev/stdout /dev/stderr ${BASE}/dev/`,
    `printf '%s\\n' ${table.map(shellQuote).join(' ')} >${STORE}/table`,
    `${form.mount} -a -T ${STORE}/table`,
    ...[`cd ${BASE}`, `${form.pivotRoot} . .`, `${form.umount} -l .`, `cd ${shellQuote(command.cwd)}`],
    // The shell stays as the first process of its namespace; its own messages about the end of the command are dropped.
    'exec 9>&2 2>/dev/null',
    'set +e',
    `( exec ${form.setsid} ${nested} ${drop} "$@" 2>&9 9>&- )`,
    'exit $?',
  ].join('\n');
}

interface Layout {
  folders: string[];
  files: string[];
  /** Lines of the table that `mount` works through in one go. */
  table: string[];
}

function layoutOf(mounts: readonly Mount[]): Layout {
  const mountInfo = readMountInfo();
  const layout: Layout = { folders: [`${BASE}/dev/pts`, `${BASE}/dev/shm`, STORE], files: [], table: [] };
  const stores = new Map<Mount, string>();
  for (const [index, mount] of mounts.entries()) {
    if (mount.kind === 'link') continue;
    if (mount.kind === 'folder') {
      layout.folders.push(`${BASE}${mount.path}`);
      continue;
    }
    const parent = mounts.slice(0, index).findLast((one) => one.kind !== 'folder' && isWithin(mount.path, one.path));
    addMountPoint(layout, mount, mountPointOf(mount.path, parent, stores));
    const store = mount.kind === 'empty' && mount.writable ? `${STORE}/store${stores.size}` : null;
    if (store !== null) layout.folders.push(store);
    if (store !== null) stores.set(mount, store);
    layout.table.push(...tableLines(mount, { store, parent, mountInfo }));
  }
  layout.files.push(...[...DEVICES, 'ptmx'].map((name) => `${BASE}/dev/${name}`));
  layout.table.push(...closingLines(mountInfo));
  return layout;
}

function addMountPoint({ folders, files }: Layout, mount: Mount, path: string | null): void {
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

interface TableContext {
  store: string | null;
  parent: Mount | undefined;
  mountInfo: readonly MountInfo[];
}

function tableLines(
  mount: Exclude<Mount, { kind: 'link' | 'folder' }>,
  { store, parent, mountInfo }: TableContext,
): string[] {
  const target = `${BASE}${mount.path}`;
  if (mount.kind === 'nothing') return [line('/dev/null', target, ['bind', 'ro', ...safe('/dev/null', mountInfo)])];
  if (mount.kind === 'empty' && store !== null) return [line(store, target, ['bind', 'nosuid', 'nodev'])];
  if (mount.kind === 'empty') return [emptyLine(target)];
  const mode = mount.writable ? [] : ['ro'];
  // A mount point came along with the bind of its parent, and `mount` would leave it as it is.
  const isThere =
    parent?.kind === 'bind' && parent.source === parent.path && mountInfo.some(({ path }) => path === mount.path);
  const own = isThere
    ? line('none', target, ['remount', 'bind', ...mode, ...safe(mount.source, mountInfo)])
    : line(mount.source, target, ['rbind', ...mode, ...safe(mount.source, mountInfo)]);
  return [own, ...mountsBelow(mount.source, mountInfo).map((path) => below(path, mode))];

  /** A recursive bind takes the mounts below along, but its flags hold for the topmost only. */
  function below(path: string, flags: readonly string[]): string {
    const mountPoint = `${target}${path.slice(mount.kind === 'bind' ? mount.source.length : 0)}`;
    return line('none', mountPoint, ['remount', 'bind', ...flags, ...safe(path, mountInfo)]);
  }
}

/** Reachable mounts below a folder: one that cannot be reached from here cannot be reached from inside either. */
function mountsBelow(folder: string, mountInfo: readonly MountInfo[]): string[] {
  const paths = mountInfo.map(({ path }) => path).filter((path) => path !== folder && isWithin(path, folder));
  return [...new Set(paths)].filter((path) => valueOrNull(() => lstatSync(path)) !== null);
}

function safe(path: string, mountInfo: readonly MountInfo[]): string[] {
  return [...new Set(['nosuid', 'nodev', ...lockedFlags(path, mountInfo)])];
}

function emptyLine(target: string): string {
  return `cognition-empty ${escaped(target)} tmpfs ro,mode=755,size=4k,nosuid,nodev 0 0`;
}

function closingLines(mountInfo: readonly MountInfo[]): string[] {
  const devices = DEVICES.map((name) => {
    const kept = lockedFlags('/dev/null', mountInfo).filter((flag) => flag !== 'nodev');
    return line(`/dev/${name}`, `${BASE}/dev/${name}`, ['bind', ...kept]);
  });
  return [
    ...devices,
    `cognition-shm ${BASE}/dev/shm tmpfs mode=1777,size=${MEMORY},nosuid,nodev 0 0`,
    `cognition-pts ${BASE}/dev/pts devpts newinstance,ptmxmode=666,mode=620,nosuid,noexec 0 0`,
    line(`${BASE}/dev/pts/ptmx`, `${BASE}/dev/ptmx`, ['bind']),
    `cognition-proc ${BASE}/proc proc nosuid,nodev,noexec 0 0`,
    ...kernelFiles().map((path) =>
      line(`${BASE}${path}`, `${BASE}${path}`, ['bind', 'ro', 'nosuid', 'nodev', 'noexec']),
    ),
    line('none', BASE, ['remount', 'bind', 'ro', 'nosuid', 'nodev']),
  ];
}

function line(source: string, target: string, flags: readonly string[]): string {
  return `${escaped(source)} ${escaped(target)} none ${flags.join(',')} 0 0`;
}

/** As the mount table writes it: white space, backslashes and number signs as octal numbers. */
function escaped(path: string): string {
  return path.replace(/[\s\\#]/g, (sign) =>
    [...Buffer.from(sign)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  );
}
