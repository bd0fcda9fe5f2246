import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { NotedSnapshot } from '../../hub/protocol/methods/snapshot_methods.js';
import { requireNodeOfTree, requireTree } from '../store/require_rows.js';
import { idBlob } from '../store/rows.js';
import type { Store } from '../store/store.js';
import type { WriteOp } from '../write/write_operation.js';

const KNOWN = 'SELECT 1 FROM snapshots WHERE tree = ? AND folder = ? AND node = ? AND root = ? AND kind = ?';
const INSERT = 'INSERT INTO snapshots (tree, node, folder, root, at_ms, kind) VALUES (?, ?, ?, ?, ?, ?)';
const LATEST = "SELECT max(snapshot) AS snapshot FROM snapshots WHERE folder = ? AND kind <> 'copied'";
const AGAIN = `INSERT INTO snapshots (tree, node, folder, root, at_ms, kind)
  SELECT tree, node, folder, root, at_ms, kind FROM snapshots WHERE snapshot = ?`;

/** Notes what an export tells of files, unless it is known. */
export const importSnapshots: WriteOp<ParsedOf<'loom.snapshot_import'>> = ({ store, atMs }, params) => {
  const { tree } = requireTree(store, params.tree);
  const folders = new Set(params.snapshots.map(({ folder }) => folder));
  const latest = [...folders].map((folder) => store.get<{ snapshot: number | null }>(LATEST, idBlob(folder)));
  const added = params.snapshots.filter((one) => note(store, tree, { ...one, of: params.tree })).length;
  const { stands } = params;
  if (stands !== null) {
    const { seq } = requireNodeOfTree(store, stands.node, params.tree);
    store.run(INSERT, tree, seq, idBlob(stands.folder), idBlob(stands.root), atMs, 'stood');
  }
  // What was noted last says what lies in the folder: no import changes that.
  for (const row of added === 0 && stands === null ? [] : latest)
    if (row?.snapshot != null) store.run(AGAIN, row.snapshot);
  return `{"added":${added}}`;
};

function note(
  store: Store,
  tree: number,
  { node, of, moment, at_ms: atMs, ...names }: NotedSnapshot & { of: ParsedOf<'loom.snapshot_import'>['tree'] },
): boolean {
  const { seq } = requireNodeOfTree(store, node, of);
  const [folder, root] = [idBlob(names.folder), idBlob(names.root)];
  if (store.get(KNOWN, tree, folder, seq, root, moment) !== undefined) return false;
  store.run(INSERT, tree, seq, folder, root, atMs, moment);
  return true;
}
