import { hiddenKernelFiles } from '../machine.js';
import type { Mount } from '../mounts.js';
import type { FormInput } from './form.js';

/** The options that this bubblewrap supports: older ones know fewer, and some machines give root no user namespaces. */
export interface BubblewrapForm {
  userNamespace: boolean;
  /** Whether nothing inside may make user namespaces of its own, and folders in memory have a size. */
  isModern: boolean;
}

const HOME_BYTES_MAX = 1_073_741_824;
const COVER_BYTES_MAX = 4_096;

/** The arguments of bubblewrap for a plan. */
export function bubblewrapArguments({ plan, command, ownNetwork }: FormInput, form: BubblewrapForm): string[] {
  const size = sizeOf(form);
  return [
    ...(form.userNamespace ? ['--unshare-user'] : []),
    ...(form.userNamespace && form.isModern ? ['--disable-userns'] : []),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(ownNetwork ? ['--unshare-net'] : []),
    ...['--cap-drop', 'ALL', '--new-session', '--die-with-parent'],
    // For each bind and remount bubblewrap reads the list of all mounts so far: these come while it is short.
    ...['--dev', '/dev', ...size, '--tmpfs', '/dev/shm', '--remount-ro', '/dev', '--proc', '/proc'],
    ...hiddenKernelFiles().flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...['--remount-ro', '/proc'],
    ...plan.mounts.flatMap((mount) => mountArguments(mount, form)),
    ...['--remount-ro', '/'],
    ...['--chdir', command.cwd, '--', command.program, ...command.arguments],
  ];
}

function sizeOf({ isModern }: BubblewrapForm): string[] {
  return isModern ? ['--size', String(HOME_BYTES_MAX)] : [];
}

function mountArguments(mount: Mount, form: BubblewrapForm): string[] {
  switch (mount.kind) {
    case 'bind':
      return [mount.writable ? '--bind' : '--ro-bind', mount.source, mount.path];
    case 'empty':
      return mount.writable ? [...sizeOf(form), '--tmpfs', mount.path] : coverArguments(mount.path, form);
    case 'nothing':
      return ['--ro-bind', '/dev/null', mount.path];
    case 'link':
      return ['--symlink', mount.target, mount.path];
    case 'folder':
      return ['--dir', mount.path];
  }
}

/** Remounting is slow. A folder that nobody may write and that holds a single page at most is as good. */
function coverArguments(path: string, { isModern }: BubblewrapForm): string[] {
  if (!isModern) return ['--tmpfs', path, '--remount-ro', path];
  return ['--size', String(COVER_BYTES_MAX), '--perms', '0555', '--tmpfs', path];
}
