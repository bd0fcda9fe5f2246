import { isWithin } from '../policy/path_rules.js';

/** One thing that is put into the empty root of a sandbox, after those before it and over them. */
export type Mount =
  | { kind: 'bind'; path: string; source: string; writable: boolean; isFolder: boolean }
  /** An empty folder of its own, which lives as long as the command. */
  | { kind: 'empty'; path: string; writable: boolean }
  /** A file that cannot be opened. */
  | { kind: 'nothing'; path: string }
  | { kind: 'link'; path: string; target: string }
  /** A folder of the root, in which nothing is. */
  | { kind: 'folder'; path: string };

/** Whether what lies at a path outside is in sight there inside. */
export function isVisible(path: string, mounts: readonly Mount[]): boolean {
  const over = mounts.findLast((mount) => isWithin(path, mount.path));
  return over?.kind === 'bind' && over.path === over.source;
}
