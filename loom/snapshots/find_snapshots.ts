import type { ReadContext } from '../paging/read_context.js';
import type { Slices } from '../paging/slices.js';
import type { ReadParams } from '../read/read_methods.js';
import { pathTo } from '../read/walk_path.js';
import { requireNodeOfTree, requireTree } from '../store/require_rows.js';
import { dashed, idBlob } from '../store/rows.js';

interface SnapshotRow {
  id: string;
  root: string;
  at_ms: number;
}

const COLUMNS = 'lower(hex(n.id)) AS id, lower(hex(s.root)) AS root, s.at_ms';
const EXACT = `SELECT ${COLUMNS} FROM snapshots s CROSS JOIN nodes n ON n.seq = s.node WHERE s.folder = ? AND s.node = ?
  AND s.kind IN ('before', 'after', 'left', 'copied') ORDER BY s.snapshot DESC LIMIT 1`;
const NEAREST = `SELECT ${COLUMNS} FROM json_each(?) p CROSS JOIN snapshots s ON s.folder = ? AND s.node = p.value
  CROSS JOIN nodes n ON n.seq = s.node WHERE s.kind IN ('before', 'after', 'copied') ORDER BY s.node DESC, s.snapshot DESC LIMIT 1`;
/** Where a turn has recorded first, or a copy for it, that is how the files were before. */
const FIRST = `SELECT ${COLUMNS} FROM snapshots s CROSS JOIN nodes n ON n.seq = s.node WHERE s.snapshot =
  (SELECT min(snapshot) FROM snapshots WHERE tree = ? AND folder = ?) AND s.kind IN ('before', 'copied')`;
const NEWEST = `SELECT ${COLUMNS} FROM snapshots s CROSS JOIN nodes n ON n.seq = s.node
  WHERE s.tree = ? AND s.folder = ? AND s.kind NOT IN ('carried', 'copied') ORDER BY s.snapshot DESC LIMIT 1`;
const LATEST = `SELECT lower(hex(root)) AS root FROM snapshots
  WHERE snapshot = (SELECT max(snapshot) FROM snapshots WHERE folder = ? AND kind <> 'copied')`;
/** More would not fit a frame. */
const ROOTS_MAX = 200_000;
const ROOTS = `SELECT lower(hex(root)) AS root FROM snapshots WHERE folder = ?
  UNION SELECT lower(hex(base)) FROM copies WHERE folder = ? LIMIT ${ROOTS_MAX}`;

export function* findSnapshots(context: ReadContext, params: ReadParams['loom.snapshot_find']): Slices<string> {
  const { store } = context;
  const { tree } = requireTree(store, params.tree);
  const folder = idBlob(params.folder);
  const node = params.node === null ? null : requireNodeOfTree(store, params.node, params.tree);
  const path = node === null ? [] : yield* pathTo(context, node.seq);
  const made =
    node === null
      ? undefined
      : (store.get<SnapshotRow>(NEAREST, JSON.stringify(path), folder) ?? store.get<SnapshotRow>(FIRST, tree, folder));
  const at = node === null ? undefined : (store.get<SnapshotRow>(EXACT, folder, node.seq) ?? made);
  const newest = store.get<SnapshotRow>(NEWEST, tree, folder);
  const latest = store.get<{ root: string }>(LATEST, folder)?.root ?? null;
  return `{"at":${snapshotJson(at)},"made":${snapshotJson(made)},"newest":${snapshotJson(newest)},"latest":${JSON.stringify(latest)}}`;
}

function snapshotJson(row: SnapshotRow | undefined): string {
  return row === undefined ? 'null' : `{"node":"${dashed(row.id)}","root":"${row.root}","at_ms":${row.at_ms}}`;
}

export function listRoots({ store }: ReadContext, { folder }: ReadParams['loom.snapshot_roots']): string {
  return JSON.stringify({
    roots: store.all<{ root: string }>(ROOTS, idBlob(folder), idBlob(folder)).map(({ root }) => root),
  });
}

const FOLDERS = `SELECT DISTINCT lower(hex(folder)) AS folder FROM snapshots LIMIT ${ROOTS_MAX}`;

export function listFolders({ store }: ReadContext): string {
  return JSON.stringify({ folders: store.all<{ folder: string }>(FOLDERS).map(({ folder }) => folder) });
}
