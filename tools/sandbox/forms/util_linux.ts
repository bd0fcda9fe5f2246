import { HubError } from '../../../hub/base/error.js';
import { shellQuote } from '../../base/shell_quote.js';
import type { Invocation, SandboxCommand } from '../invocation.js';
import { findProgram } from '../machine.js';
import type { Mount } from '../mounts.js';
import type { FormInput } from './form.js';
import { BASE, MEMORY, type MountStep, mountStepsOf, STORE } from './mount_steps.js';

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

/** Where there is no perl: makes namespaces, mounts the plan in them with a script, drops every capability and starts the command. */
export function utilLinuxInvocation({ plan, command, ownNetwork }: FormInput, form: UtilLinux): Invocation {
  const script = scriptOf(plan.mounts, { ...command, ownNetwork }, form);
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
  const network = ownNetwork ? ['--net'] : [];
  return {
    program: form.setpriv,
    arguments: [
      ...['--pdeathsig', 'KILL', form.unshare, ...user, ...namespaces, ...network],
      ...[form.sh, '-c', script, 'sh', command.program, ...command.arguments],
    ],
  };
}

function scriptOf(
  plan: readonly Mount[],
  { cwd, ownNetwork }: Pick<SandboxCommand, 'cwd'> & { ownNetwork: boolean },
  form: UtilLinux,
): string {
  const { folders, files, links, mounts } = mountStepsOf(plan);
  const limit = form.userNamespace ? ['echo 1 >/proc/sys/user/max_user_namespaces'] : [];
  const nested = form.userNamespace
    ? `${form.unshare} --user --map-user=${process.getuid?.()} --map-group=${process.getgid?.()} --keep-caps`
    : '';
  const drop = `${form.setpriv} --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all --pdeathsig KILL`;
  return [
    ...['set -e', ...limit],
    ...(form.ip !== null && ownNetwork ? [`${form.ip} link set lo up || :`] : []),
    `${form.mount} -t tmpfs -o mode=755,size=${MEMORY},nosuid,nodev cognition ${BASE}`,
    `${form.mkdir} -p ${folders.map(shellQuote).join(' ')}`,
    ...files.map((file) => `: >${shellQuote(file)}`),
    ...(links.length === 0 ? [] : [`${form.cp} -P ${links.map(shellQuote).join(' ')} ${BASE}/`]),
    `${form.cp} -P /dev/fd /dev/stdin /dev/stdout /dev/stderr ${BASE}/dev/`,
    `printf '%s\\n' ${mounts.map((step) => shellQuote(lineOf(step))).join(' ')} >${STORE}/table`,
    `${form.mount} -a -T ${STORE}/table`,
    ...[`cd ${BASE}`, `${form.pivotRoot} . .`, `${form.umount} -l .`, `cd ${shellQuote(cwd)}`],
    // The shell stays as the first process of its namespace; its own messages about the end of the command are dropped.
    'exec 9>&2 2>/dev/null',
    'set +e',
    `( exec ${form.setsid} ${nested} ${drop} "$@" 2>&9 9>&- )`,
    'exit $?',
  ].join('\n');
}

function lineOf({ kind, source, target, flags, options }: MountStep): string {
  if (kind === 'bind') return line(source, target, ['rbind', ...flags]);
  if (kind === 'remount') return line(source, target, ['remount', 'bind', ...flags]);
  return `${source} ${escaped(target)} ${kind} ${[...flags, ...(options === '' ? [] : [options])].join(',')} 0 0`;
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
