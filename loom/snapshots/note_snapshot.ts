import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { requireNodeOfTree } from '../store/require_rows.js';
import { idBlob } from '../store/rows.js';
import type { WriteOp } from '../write/write_operation.js';

const NEWEST = `SELECT 1 FROM snapshots WHERE snapshot =
  (SELECT max(snapshot) FROM snapshots WHERE tree = ? AND folder = ?) AND node = ? AND root = ? AND kind = ?`;

/** Notes which files a project had at a node, unless that was noted last. */
export const noteSnapshot: WriteOp<ParsedOf<'loom.snapshot_add'>> = ({ store, atMs }, params) => {
  const { tree, node, kind } = params;
  const at = requireNodeOfTree(store, node, tree);
  const [folder, root] = [idBlob(params.folder), idBlob(params.root)];
  const isKnown = store.get(NEWEST, at.tree, folder, at.seq, root, kind) !== undefined;
  if (!isKnown) {
    store.run(
      'INSERT INTO snapshots (tree, node, folder, root, at_ms, kind) VALUES (?, ?, ?, ?, ?, ?)',
      ...[at.tree, at.seq, folder, root, atMs, kind],
    );
  }
  return `{"added":${!isKnown}}`;
};
