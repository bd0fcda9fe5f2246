import { assemble, type Instruction } from './bpf.js';
import { KERNEL_NAMES, numberOf, type Processor, type SystemCall } from './system_calls.js';

/** Where the kernel puts what a filter looks at: the low half of an argument comes first. */
const NUMBER = 0;
const PROCESSOR = 4;
const argument = (index: number): number => 16 + 8 * index;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const refuse = (errno: number): number => 0x00050000 | errno;
const [EPERM, EAFNOSUPPORT, EPROTONOSUPPORT] = [1, 97, 93];
/** As from an old kernel: programs fall back to what they used before. */
const ENOSYS = 38;

/** Calls of x32 carry this bit. */
const X32 = 0x40000000;

const FORBIDDEN: readonly SystemCall[] = [
  // Other processes.
  ...(['ptrace', 'process_vm_readv', 'process_vm_writev', 'pidfd_getfd', 'process_madvise', 'kcmp'] as const),
  ...(['migrate_pages', 'move_pages'] as const),
  // What the kernel keeps for the person's session, and doors into the kernel itself.
  ...(['add_key', 'request_key', 'keyctl', 'bpf', 'perf_event_open', 'userfaultfd', 'fanotify_init'] as const),
  ...(['kexec_load', 'kexec_file_load', 'reboot', 'syslog', 'init_module', 'finit_module', 'delete_module'] as const),
  ...(['acct', 'swapon', 'swapoff', 'quotactl', 'quotactl_fd', 'settimeofday', 'clock_settime'] as const),
  ...(['clock_adjtime', 'vhangup', 'sethostname', 'setdomainname', 'iopl', 'ioperm', 'modify_ldt'] as const),
  // Mounts and namespaces.
  ...(['mount', 'umount2', 'pivot_root', 'chroot', 'open_tree', 'move_mount', 'fsopen', 'fsconfig'] as const),
  ...([
    'fsmount',
    'fspick',
    'mount_setattr',
    'open_tree_attr',
    'setns',
    'open_by_handle_at',
    'lookup_dcookie',
  ] as const),
];

/** `clone3`: its flags lie in memory, where no filter can look; the C library then uses `clone`. */
const ABSENT: readonly SystemCall[] = [
  ...(['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'clone3'] as const),
  ...(['uselib', 'ustat', 'sysfs', '_sysctl', 'nfsservctl'] as const),
];

/** `CLONE_NEW…`, all kinds of namespaces; the one of time shares its bit with the signal of `clone`. */
const NAMESPACES = 0x7e020000;
const TIME_NAMESPACE = 0x80;

const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] = [1, 2, 10, 16];
const NETLINK_ROUTE = 0;

/** What a program types into its own terminal (`TIOCSTI`, `TIOCLINUX`), and other protocols on it (`TIOCSETD`). */
const TERMINAL_REQUESTS = [0x5412, 0x541c, 0x5423];

const SET_USER = 0o4000;

/**
 * The filter of system calls that contained commands run under, as the kernel takes it. It stands behind the namespaces: what it
 * refuses is refused there too, but for holes in the kernel, sockets to the host of a virtual machine, and the set-user bit.
 */
export function callFilter(processor: Processor): Buffer {
  const number = (call: SystemCall): number | null => numberOf(call, processor);
  const when = (calls: readonly SystemCall[], to: string): Instruction[] =>
    calls.flatMap((call) => {
      const value = number(call);
      return value === null ? [] : [{ do: 'jump', when: 'equal', value, to } as const];
    });
  return assemble([
    { do: 'load', offset: PROCESSOR },
    { do: 'jump', when: 'equal', value: KERNEL_NAMES[processor], to: 'own' },
    { do: 'return', value: KILL },
    { do: 'label', name: 'own' },
    { do: 'load', offset: NUMBER },
    ...(processor === 'x64' ? [{ do: 'jump', when: 'atLeast', value: X32, to: 'absent' } as const] : []),
    ...when(['socket', 'socketpair'], 'socket'),
    ...when(['ioctl'], 'ioctl'),
    ...when(['clone'], 'clone'),
    ...when(['unshare'], 'unshare'),
    ...when(['chmod', 'fchmod'], 'second mode'),
    ...when(['fchmodat', 'fchmodat2'], 'third mode'),
    ...when(ABSENT, 'absent'),
    ...when(FORBIDDEN, 'forbidden'),
    { do: 'return', value: ALLOW },
    ...argumentRules(),
    { do: 'label', name: 'allowed' },
    { do: 'return', value: ALLOW },
    { do: 'label', name: 'forbidden' },
    { do: 'return', value: refuse(EPERM) },
    { do: 'label', name: 'absent' },
    { do: 'return', value: refuse(ENOSYS) },
  ]);
}

function argumentRules(): Instruction[] {
  const anyBit = (value: number): Instruction => ({ do: 'jump', when: 'anyBit', value, to: 'forbidden' });
  const equal = (value: number, to: string): Instruction => ({ do: 'jump', when: 'equal', value, to });
  return [
    { do: 'label', name: 'socket' },
    { do: 'load', offset: argument(0) },
    ...[AF_UNIX, AF_INET, AF_INET6].map((family) => equal(family, 'allowed')),
    equal(AF_NETLINK, 'netlink'),
    { do: 'return', value: refuse(EAFNOSUPPORT) },
    { do: 'label', name: 'netlink' },
    { do: 'load', offset: argument(2) },
    equal(NETLINK_ROUTE, 'allowed'),
    { do: 'return', value: refuse(EPROTONOSUPPORT) },
    { do: 'label', name: 'ioctl' },
    { do: 'load', offset: argument(1) },
    ...TERMINAL_REQUESTS.map((request) => equal(request, 'forbidden')),
    { do: 'return', value: ALLOW },
    { do: 'label', name: 'clone' },
    { do: 'load', offset: argument(0) },
    anyBit(NAMESPACES),
    { do: 'return', value: ALLOW },
    { do: 'label', name: 'unshare' },
    { do: 'load', offset: argument(0) },
    anyBit(NAMESPACES | TIME_NAMESPACE),
    { do: 'return', value: ALLOW },
    { do: 'label', name: 'third mode' },
    { do: 'load', offset: argument(2) },
    anyBit(SET_USER),
    { do: 'return', value: ALLOW },
    { do: 'label', name: 'second mode' },
    { do: 'load', offset: argument(1) },
    anyBit(SET_USER),
    { do: 'return', value: ALLOW },
  ];
}
