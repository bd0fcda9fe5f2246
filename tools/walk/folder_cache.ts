import type { FolderNames } from './list_folder.js';
import type { PinnedEntry } from './pinned_folder.js';

/** The names of folders that have been listed, for as long as a folder says that nothing was made, renamed or removed in it. */
export interface FolderCache {
  find(folder: PinnedEntry): FolderNames | null;
  keep(folder: PinnedEntry, names: FolderNames): void;
}

const FOLDERS_MAX = 50_000;
const NAMES_MAX = 500_000;
/** The clocks of disks have steps: what changed so lately may change again without telling. */
const SETTLED_MS = 2_000;

/** A folder as it was listed. */
interface Listed {
  dev: number;
  mtimeMs: number;
  ctimeMs: number;
  size: number;
  names: FolderNames;
}

export function createFolderCache(nowMs: () => number): FolderCache {
  const byInode = new Map<number, Listed>();
  let count = 0;
  return {
    find({ stats }) {
      const known = byInode.get(stats.ino);
      return known !== undefined && isSame(known, stats) ? known.names : null;
    },
    keep(folder, names) {
      const { dev, ino, mtimeMs, ctimeMs, size } = folder.stats;
      if (nowMs() - Math.max(mtimeMs, ctimeMs) < SETTLED_MS) return;
      count += names.files.length + names.links.length + names.others.length + names.folders.length;
      if (byInode.size >= FOLDERS_MAX || count > NAMES_MAX) {
        byInode.clear();
        count = 0;
      }
      byInode.set(ino, { dev, mtimeMs, ctimeMs, size, names });
    },
  };
}

function isSame(known: Listed, { dev, mtimeMs, ctimeMs, size }: PinnedEntry['stats']): boolean {
  return known.dev === dev && known.mtimeMs === mtimeMs && known.ctimeMs === ctimeMs && known.size === size;
}
