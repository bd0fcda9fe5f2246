/** A processor that calls can be filtered on. */
export type Processor = 'x64' | 'arm64';

/** The number by which the kernel knows each kind of processor (`AUDIT_ARCH_…`). */
export const KERNEL_NAMES: Readonly<Record<Processor, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** The numbers of system calls: on x64, and on arm64 where it has the call. Source: `unistd_64.h` and `asm-generic/unistd.h`. */
const NUMBERS = {
  ...{ ptrace: [101, 117], process_vm_readv: [310, 270], process_vm_writev: [311, 271], pidfd_getfd: [438, 438] },
  ...{ process_madvise: [440, 440], kcmp: [312, 272], migrate_pages: [256, 238], move_pages: [279, 239] },
  ...{ add_key: [248, 217], request_key: [249, 218], keyctl: [250, 219] },
  ...{ bpf: [321, 280], perf_event_open: [298, 241], userfaultfd: [323, 282], fanotify_init: [300, 262] },
  ...{ kexec_load: [246, 104], kexec_file_load: [320, 294], reboot: [169, 142], syslog: [103, 116] },
  ...{ init_module: [175, 105], finit_module: [313, 273], delete_module: [176, 106], acct: [163, 89] },
  ...{ mount: [165, 40], umount2: [166, 39], pivot_root: [155, 41], chroot: [161, 51], swapon: [167, 224] },
  ...{ swapoff: [168, 225], open_tree: [428, 428], move_mount: [429, 429], fsopen: [430, 430], fsconfig: [431, 431] },
  ...{ fsmount: [432, 432], fspick: [433, 433], mount_setattr: [442, 442], open_tree_attr: [467, 467] },
  ...{ setns: [308, 268], unshare: [272, 97], clone: [56, 220], clone3: [435, 435] },
  ...{ open_by_handle_at: [304, 265], quotactl: [179, 60], quotactl_fd: [443, 443], lookup_dcookie: [212, 18] },
  ...{ settimeofday: [164, 170], clock_settime: [227, 112], clock_adjtime: [305, 266], vhangup: [153, 58] },
  ...{ sethostname: [170, 161], setdomainname: [171, 162], iopl: [172], ioperm: [173], modify_ldt: [154] },
  ...{ uselib: [134], ustat: [136], sysfs: [139], _sysctl: [156], nfsservctl: [180, 42] },
  ...{ io_uring_setup: [425, 425], io_uring_enter: [426, 426], io_uring_register: [427, 427] },
  ...{ socket: [41, 198], socketpair: [53, 199], ioctl: [16, 29] },
  ...{ chmod: [90], fchmod: [91, 52], fchmodat: [268, 53], fchmodat2: [452, 452], prctl: [157, 167] },
  ...{ capset: [126, 91], seccomp: [317, 277], setsid: [112, 157] },
} satisfies Record<string, [x64: number, arm64?: number]>;

export type SystemCall = keyof typeof NUMBERS;

/** The number of a call; null where the processor has no such call. */
export function numberOf(call: SystemCall, processor: Processor): number | null {
  return NUMBERS[call][processor === 'x64' ? 0 : 1] ?? null;
}

/** The processor of this machine; null when its calls are not known here. */
export function processorHere(): Processor | null {
  return process.arch === 'x64' || process.arch === 'arm64' ? process.arch : null;
}
