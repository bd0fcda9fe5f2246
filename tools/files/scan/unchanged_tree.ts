import { attempt } from '../../walk/pinned_folder.js';
import { namePath } from './entry_path.js';
import { type FolderState, isSame, statOf } from './folder_state.js';

interface UnchangedParts {
  folders: ReadonlyMap<string, FolderState>;
  device: number;
}

/**
 * How many files are in a folder and below it, when the disk says that nothing there has changed since it was looked at under the same rules; null
 * when it must be looked at. The working directory is the folder above. Nothing is pinned: whatever names are exchanged meanwhile, nothing is read but
 * what the disk says, and what is taken for known has the inode and the times of what was read.
 */
export function unchangedFiles(parts: UnchangedParts, path: string, rules: string): number | null {
  const { folders, device } = parts;
  const state = folders.get(path);
  const { self, tree } = state ?? {};
  if (state == null || self == null || tree == null || self.rules.above !== rules) return null;
  if (state.unchangedFiles !== null) return state.unchangedFiles;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const at = namePath(name);
  const stats = statOf(at);
  if (typeof at !== 'string' || stats === null || stats.dev !== device || !isSame(self.disk, stats)) return null;
  if (!enter(at)) return null;
  const count = filesIn(parts, path, { ...state, self, tree });
  if (!enter('..') || count === null) return null;
  state.isMet = true;
  state.unchangedFiles = count;
  return count;
}

type WholeState = FolderState & { [part in 'self' | 'tree']: NonNullable<FolderState[part]> };

/** The files of a folder, which is the working directory, and of those below. */
function filesIn(parts: UnchangedParts, path: string, { files, self, tree }: WholeState): number | null {
  let count = 0;
  for (const [name, entry] of tree.entries) {
    if (entry.kind === 'folder') {
      const inner = `${path}/${name}`;
      const below = unchangedFiles(parts, inner, self.rules.own);
      if (below === null || parts.folders.get(inner)?.tree?.sha256 !== entry.sha256) return null;
      count += below;
    } else {
      const known = files.get(name);
      const stats = known?.entry === entry ? statOf(namePath(name)) : null;
      if (known === undefined || stats === null || stats.dev !== parts.device || !isSame(known, stats)) return null;
      count += 1;
    }
  }
  return count;
}

function enter(at: string): boolean {
  return attempt(() => process.chdir(at) ?? true) === true;
}
