import type { Sha256 } from '../../../hub/protocol/node.js';
import { IGNORE_FILES } from '../../walk/walk_folder.js';
import type { Snapshots } from '../store/snapshot.js';
import type { FolderTree, TreeEntry } from '../store/tree_format.js';
import type { RestorePlan } from './plan_restore.js';

/** A change, by the names that are left of its path. */
interface Below {
  names: readonly string[];
  want: TreeEntry | null;
}

const EMPTY: FolderTree = new Map();

/**
 * The snapshot that a plan makes of another one, where nothing of the disk is needed to tell. Null where rules change that say what is recorded,
 * and where a folder was made on the way that no change names.
 */
export function snapshotAfter(snapshots: Snapshots, from: Sha256, { changes, leadsTo }: RestorePlan): Sha256 | null {
  const all = changes.map(({ path, want }): Below => ({ names: path.split('/'), want }));
  if (all.some(({ names }) => IGNORE_FILES.includes(names.at(-1) ?? ''))) return null;
  if (leadsTo !== null) return snapshots.put(leadsTo);
  const { tree, left_out } = snapshots.get(from);
  const changed = treeAfter(snapshots, snapshots.getTree(tree), all);
  return changed === null ? null : snapshots.put({ tree: snapshots.putTree(changed), left_out });
}

function treeAfter(snapshots: Snapshots, before: FolderTree, changes: readonly Below[]): FolderTree | null {
  const entries = new Map(before);
  for (const [name, all] of byFirstName(changes)) {
    const had = before.get(name) ?? null;
    const own = all.find(({ names }) => names.length === 1);
    // A folder on the way that is not recorded.
    if (own === undefined && had?.kind !== 'folder') return null;
    const want = own === undefined ? had : own.want;
    const after = want?.kind === 'folder' ? folderAfter(snapshots, { had, want }, all) : want;
    if (after !== null) entries.set(name, after);
    else if (want === null) entries.delete(name);
    else return null;
  }
  return entries;
}

function folderAfter(
  snapshots: Snapshots,
  { had, want }: { had: TreeEntry | null; want: TreeEntry },
  all: readonly Below[],
): TreeEntry | null {
  const inner = all.flatMap(({ names: [, ...names], want: below }) => (names.length > 0 ? { names, want: below } : []));
  const tree = treeAfter(snapshots, had?.kind === 'folder' ? snapshots.getTree(had.sha256) : EMPTY, inner);
  return tree === null ? null : { ...want, sha256: snapshots.putTree(tree) };
}

function byFirstName(changes: readonly Below[]): Map<string, Below[]> {
  const found = new Map<string, Below[]>();
  for (const change of changes) {
    const [name = ''] = change.names;
    if (found.get(name)?.push(change) === undefined) found.set(name, [change]);
  }
  return found;
}
