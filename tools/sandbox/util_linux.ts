import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { isWithin } from '../policy/path_rules.js';
import type { FormInput } from './form.js';
import type { Invocation, SandboxCommand } from './invocation.js';
import { findProgram, kernelFiles, lockedFlags, type Mounted, mountedNow } from './machine.js';
import type { Mount } from './mounts.js';
import { answer } from './try_errno.js';

/** Where the new root is put together: a folder that every Linux has, and of which nothing is shown. */
const BASE = '/sys/fs';
/** Folders that are covered by the new `/proc` in the end hold what only the making needs. */
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

/** The programs of util-linux that this form is made of; null when one is missing. */
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

/** The program that makes namespaces, mounts the plan in them by a script, drops every right and starts what is command. */
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
  const links = mounts.flatMap((mount) => (mount.kind === 'link' ? quoted(mount.path) : []));
  const limit = form.userNamespace ? ['echo 1 >/proc/sys/user/max_user_namespaces'] : [];
  const again = form.userNamespace
    ? `${form.unshare} --user --map-user=${process.getuid?.()} --map-group=${process.getgid?.()} --keep-caps`
    : '';
  const drop = `${form.setpriv} --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all --pdeathsig KILL`;
  return [
    ...['set -e', ...limit],
    ...(form.ip !== null && !command.policy.network ? [`${form.ip} link set lo up || :`] : []),
    `${form.mount} -t tmpfs -o mode=755,size=${MEMORY},nosuid,nodev cognition ${BASE}`,
    `${form.mkdir} -p ${folders.map(quoted).join(' ')}`,
    ...files.map((file) => `: >${quoted(file)}`),
    ...(links.length === 0 ? [] : [`${form.cp} -P ${links.join(' ')} ${BASE}/`]),
    `${form.cp} -P /dev/fd /dev/stdin /dev/stdout /dev/stderr ${BASE}/dev/`,
    `printf '%s\\n' ${table.map(quoted).join(' ')} >${STORE}/table`,
    `${form.mount} -a -T ${STORE}/table`,
    ...[`cd ${BASE}`, `${form.pivotRoot} . .`, `${form.umount} -l .`, `cd ${quoted(command.cwd)}`],
    // The shell stays as the first process of its namespace; what it has to say of how the command ended is not for anybody.
    'exec 9>&2 2>/dev/null',
    'set +e',
    `( exec ${form.setsid} ${again} ${drop} "$@" 2>&9 9>&- )`,
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
  const mounted = mountedNow();
  const layout: Layout = { folders: [`${BASE}/dev/pts`, `${BASE}/dev/shm`, STORE], files: [], table: [] };
  const rooms = new Map<Mount, string>();
  for (const [index, mount] of mounts.entries()) {
    if (mount.kind === 'link') continue;
    if (mount.kind === 'folder') {
      layout.folders.push(`${BASE}${mount.path}`);
      continue;
    }
    const over = mounts.slice(0, index).findLast((one) => one.kind !== 'folder' && isWithin(mount.path, one.path));
    addPlace(layout, mount, placeOf(mount.path, over, rooms));
    const room = mount.kind === 'empty' && mount.writable ? `${STORE}/room${rooms.size}` : null;
    if (room !== null) layout.folders.push(room);
    if (room !== null) rooms.set(mount, room);
    layout.table.push(...tableLines(mount, { room, over, mounted }));
  }
  layout.files.push(...[...DEVICES, 'ptmx'].map((name) => `${BASE}/dev/${name}`));
  layout.table.push(...closingLines(mounted));
  return layout;
}

function addPlace({ folders, files }: Layout, mount: Mount, place: string | null): void {
  if (place === null) return;
  const isFolder = mount.kind === 'empty' || (mount.kind === 'bind' && mount.isFolder);
  folders.push(isFolder ? place : dirname(place));
  if (!isFolder) files.push(place);
}

/** Where the folder to mount on is to be made; null when it exists in what is mounted there. */
function placeOf(path: string, over: Mount | undefined, rooms: ReadonlyMap<Mount, string>): string | null {
  if (over === undefined) return `${BASE}${path}`;
  const room = rooms.get(over);
  return room === undefined || path === over.path ? null : `${room}${path.slice(over.path.length)}`;
}

interface TableContext {
  room: string | null;
  over: Mount | undefined;
  mounted: readonly Mounted[];
}

function tableLines(
  mount: Exclude<Mount, { kind: 'link' | 'folder' }>,
  { room, over, mounted }: TableContext,
): string[] {
  const target = `${BASE}${mount.path}`;
  if (mount.kind === 'nothing') return [line('/dev/null', target, ['bind', 'ro', ...safe('/dev/null', mounted)])];
  if (mount.kind === 'empty' && room !== null) return [line(room, target, ['bind', 'nosuid', 'nodev'])];
  if (mount.kind === 'empty') return [emptyLine(target)];
  const mode = mount.writable ? [] : ['ro'];
  // What is mounted there already came with what is around it, and `mount` would leave it as it is.
  const isThere = over?.kind === 'bind' && over.source === over.path && mounted.some(({ path }) => path === mount.path);
  const own = isThere
    ? line('none', target, ['remount', 'bind', ...mode, ...safe(mount.source, mounted)])
    : line(mount.source, target, ['rbind', ...mode, ...safe(mount.source, mounted)]);
  return [own, ...mountsBelow(mount.source, mounted).map((path) => below(path, mode))];

  /** A bind takes along what is mounted further down, but its flags hold for the topmost only. */
  function below(path: string, flags: readonly string[]): string {
    const place = `${target}${path.slice(mount.kind === 'bind' ? mount.source.length : 0)}`;
    return line('none', place, ['remount', 'bind', ...flags, ...safe(path, mounted)]);
  }
}

/** What is mounted below a folder and can be reached from here: what cannot, cannot be reached from inside either. */
function mountsBelow(folder: string, mounted: readonly Mounted[]): string[] {
  const paths = mounted.map(({ path }) => path).filter((path) => path !== folder && isWithin(path, folder));
  return [...new Set(paths)].filter((path) => answer(() => lstatSync(path)) !== null);
}

function safe(path: string, mounted: readonly Mounted[]): string[] {
  return [...new Set(['nosuid', 'nodev', ...lockedFlags(path, mounted)])];
}

function emptyLine(target: string): string {
  return `cognition-empty ${escaped(target)} tmpfs ro,mode=755,size=4k,nosuid,nodev 0 0`;
}

function closingLines(mounted: readonly Mounted[]): string[] {
  const devices = DEVICES.map((name) => {
    const kept = lockedFlags('/dev/null', mounted).filter((flag) => flag !== 'nodev');
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

/** As the table of mounts wants it: white space, backslashes and number signs as octal numbers. */
function escaped(path: string): string {
  return path.replace(/[\s\\#]/g, (sign) =>
    [...Buffer.from(sign)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
