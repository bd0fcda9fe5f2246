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

const NOTED = `SELECT 1 FROM snapshots WHERE folder = ? AND node = ? AND kind IN ('before', 'after', 'copied')`;
const MADE_BY = 'SELECT 1 FROM origins WHERE tree = ? AND first <= ? AND last >= ? AND hub = ?';

/** Notes what an export or a remote tells of files, unless it is known. */
export const importSnapshots: WriteOp<ParsedOf<'loom.snapshot_import'>> = ({ store, atMs }, params) => {
  const { tree } = requireTree(store, params.tree);
  const folders = new Set(params.snapshots.map(({ folder }) => folder));
  const latest = [...folders].map((folder) => store.get<{ snapshot: number | null }>(LATEST, idBlob(folder)));
  const { hub } = params;
  const taken = params.snapshots.filter(
    (one) => hub === null || mayNote(store, tree, { ...one, of: params.tree, hub }),
  );
  const added = taken.filter((one) => note(store, tree, { ...one, of: params.tree })).length;
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

interface Claim extends NotedSnapshot {
  of: ParsedOf<'loom.snapshot_import'>['tree'];
  hub: string;
}

/** A hub may say more of what it has made; of what others have made only what nobody has said. */
function mayNote(store: Store, tree: number, { node, of, folder, hub }: Claim): boolean {
  const { seq } = requireNodeOfTree(store, node, of);
  if (store.get(NOTED, idBlob(folder), seq) === undefined) return true;
  return store.get(MADE_BY, tree, seq, seq, hub) !== undefined;
}

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
