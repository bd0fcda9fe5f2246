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

export function createFolderCache(nowMs: () => number): FolderCache {
  const known = new Map<string, FolderNames>();
  let count = 0;
  return {
    find: (folder) => known.get(keyOf(folder)) ?? null,
    keep(folder, names) {
      const { mtimeMs, ctimeMs } = folder.stats;
      if (nowMs() - Math.max(mtimeMs, ctimeMs) < SETTLED_MS) return;
      count += names.files.length + names.links.length + names.others.length + names.folders.length;
      if (known.size >= FOLDERS_MAX || count > NAMES_MAX) {
        known.clear();
        count = 0;
      }
      known.set(keyOf(folder), names);
    },
  };
}

function keyOf({ stats: { dev, ino, mtimeMs, ctimeMs, size } }: PinnedEntry): string {
  return `${dev} ${ino} ${mtimeMs} ${ctimeMs} ${size}`;
}
