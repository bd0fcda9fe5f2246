import { isWithin } from '../../hub/base/is_within.js';

/** What an empty file right in `/` links to inside: a file costs a mount. */
export const NOTHING = '/dev/null';

/** One step of filling the empty root of a sandbox; a later one covers an earlier one. */
export type Mount =
  | { kind: 'bind'; path: string; source: string; writable: boolean; isFolder: boolean }
  /** A folder in memory, which lives as long as the command. */
  | { kind: 'empty'; path: string; writable: boolean }
  /** A file that cannot be opened. */
  | { kind: 'nothing'; path: string }
  | { kind: 'link'; path: string; target: string }
  /** An empty folder of the root. */
  | { kind: 'folder'; path: string };

/** What is mounted over a guarded path of the policy; left out where that path could not be guarded. */
export interface MountOverlay {
  over: string;
  mounts: readonly Mount[];
}

/** Whether a path inside shows the same path outside. */
export function isVisible(path: string, mounts: readonly Mount[]): boolean {
  const mount = mounts.findLast((one) => isWithin(path, one.path));
  return mount?.kind === 'bind' && mount.path === mount.source;
}
