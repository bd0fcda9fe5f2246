import { numberOf, type SystemCall } from '../../tools/sandbox/filter/system_calls.js';

const [EPERM, ENOSYS, EPROTONOSUPPORT, EAFNOSUPPORT] = [1, 38, 93, 97];

/** A call that does no harm where it succeeds, and how the filter refuses it. */
export interface ForbiddenCall {
  call: SystemCall;
  given: string;
  errno: number;
}

const refused = (call: SystemCall, given: string, errno = EPERM): ForbiddenCall => ({ call, given, errno });

export const FORBIDDEN_CALLS: readonly ForbiddenCall[] = [
  refused('ptrace', '0, 0, 0, 0'),
  refused('process_vm_readv', '$$, 0, 0, 0, 0, 0'),
  refused('process_vm_writev', '$$, 0, 0, 0, 0, 0'),
  refused('process_madvise', '-1, 0, 0, 0, 0'),
  refused('pidfd_getfd', '-1, 0, 0'),
  refused('kcmp', '$$, $$, 0, 0, 0'),
  refused('move_pages', '0, 0, 0, 0, 0, 0'),
  refused('keyctl', '0, -2, 0'),
  refused('request_key', '0, 0, 0, 0'),
  refused('add_key', '0, 0, 0, 0, 0'),
  refused('bpf', '-1, 0, 0'),
  refused('perf_event_open', '0, 0, -1, -1, 0'),
  refused('fanotify_init', '-1, 0'),
  refused('kexec_load', '0, 0, 0, 0xffff'),
  refused('reboot', '0, 0, 0, 0'),
  refused('settimeofday', '0, 0'),
  refused('clock_settime', '-1, 0'),
  refused('clock_adjtime', '-1, 0'),
  refused('sethostname', '0, -1'),
  refused('modify_ldt', '0, 0, 0'),
  refused('mount', '0, 0, 0, 0, 0'),
  refused('umount2', '0, 0'),
  refused('chroot', '0'),
  refused('open_tree', '-1, 0, 0'),
  refused('move_mount', '-1, 0, -1, 0, 0'),
  refused('fsopen', '0, 0'),
  refused('fsmount', '-1, 0, 0'),
  refused('mount_setattr', '-1, 0, 0, 0, 0'),
  refused('setns', '-1, 0'),
  refused('open_by_handle_at', '-1, 0, 0'),
  refused('unshare', '0x10000000'),
  refused('unshare', '0x20000'),
  refused('clone3', '0, 0', ENOSYS),
  refused('io_uring_setup', '1, 0', ENOSYS),
  refused('io_uring_enter', '-1, 0, 0, 0, 0, 0', ENOSYS),
  refused('io_uring_register', '-1, 0, 0, 0', ENOSYS),
  refused('socket', '17, 3, 0', EAFNOSUPPORT),
  refused('socket', '16, 3, 16', EPROTONOSUPPORT),
  refused('ioctl', '0, 0x5412, 0'),
  refused('ioctl', '0, 0x541c, 0'),
];

/** A program of perl that makes the call, and leaves its result in `$r` and its error in `$!`. */
export function perlCall({ call, given }: ForbiddenCall): string {
  return `$! = 0; my $r = syscall(${numberOf(call, 'x64')}, ${given});`;
}
