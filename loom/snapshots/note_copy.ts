import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { requireNodeOfTree } from '../store/require_rows.js';
import { idBlob } from '../store/rows.js';
import type { WriteOp } from '../write/write_operation.js';

/** Notes a folder in which a turn works. */
export const noteCopy: WriteOp<ParsedOf<'loom.copy_add'>> = ({ store, atMs }, params) => {
  const { tree, node, project, label, check } = params;
  const at = requireNodeOfTree(store, node, tree);
  const [turn, folder, base] = [idBlob(params.turn), idBlob(params.folder), idBlob(params.base)];
  store.run(
    'INSERT OR REPLACE INTO copies (turn, tree, node, folder, project, label, "check", base, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...[turn, at.tree, at.seq, folder, project, label, check, base, atMs],
  );
  return '{}';
};

export const removeCopy: WriteOp<ParsedOf<'loom.copy_remove'>> = ({ store }, { turn }) => {
  const isThere = store.get('SELECT 1 FROM copies WHERE turn = ?', idBlob(turn)) !== undefined;
  store.run('DELETE FROM copies WHERE turn = ?', idBlob(turn));
  return `{"removed":${isThere}}`;
};
