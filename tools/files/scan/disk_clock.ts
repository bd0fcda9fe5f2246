import { statfsSync } from 'node:fs';
import { release } from 'node:os';
import { attempt } from '../../walk/pinned_folder.js';

/** The clocks of disks have steps: what changed so lately may change again without telling. */
const COARSE_MS = 2_000;
/** Where every change after a look has a time of its own, as of Linux 6.13 (https://docs.kernel.org/filesystems/multigrain-ts.html). */
const FINE_MS = 100;
const FINE_SINCE = [6, 13];
/** ext4, XFS, Btrfs and tmpfs, as Linux numbers them. */
const FINE_TYPES = [0xef53, 0x58465342, 0x9123683e, 0x01021994];

/** How long ago what is on a disk must have changed for its times to tell of every later change. */
export function settledAfterMs(folder: string, kernel = release()): number {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  const [majorLeast = 0, minorLeast = 0] = FINE_SINCE;
  const isNew = major > majorLeast || (major === majorLeast && minor >= minorLeast);
  const type = attempt(() => statfsSync(folder).type);
  return isNew && type !== null && FINE_TYPES.includes(type) ? FINE_MS : COARSE_MS;
}
