import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { NodeId } from '../../hub/protocol/node.js';
import { markSum } from '../store/row_sums.js';
import { dashed, idBlob, MARK_COLUMNS, type MarkRow, type TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { changeTree } from './change_trees.js';
import { requireNodeInTree, requireOpenTree } from './find_rows.js';
import { conflict, type WriteOp } from './write_operation.js';

export const setMark: WriteOp<ParsedOf<'loom.mark_set'>> = (context, { tree, name, node, expected }) => {
  const { store } = context;
  const row = requireOpenTree(store, tree);
  if (expected !== undefined) refuseElsewhere(store, row, { name, node, expected });
  if (node === null) {
    const removed = store.run('DELETE FROM marks WHERE tree = ? AND name = ?', row.tree, name);
    const fields = `"tree":"${tree}","name":${JSON.stringify(name)}`;
    if (removed > 0) changeTree(context, row, { kind: 'mark_removed', fields });
    return '{"mark":null}';
  }
  const { seq } = requireNodeInTree(store, row, node);
  const before = store.get<{ id: Buffer; set_at_ms: number }>(
    'SELECT n.id, m.set_at_ms FROM marks m CROSS JOIN nodes n ON n.seq = m.node WHERE m.tree = ? AND m.name = ?',
    row.tree,
    name,
  );
  const mark = (setAtMs: number) =>
    `{"tree":"${tree}","name":${JSON.stringify(name)},"node":"${node}","seq":${seq},"set_at_ms":${setAtMs}}`;
  if (before?.id.equals(idBlob(node))) return `{"mark":${mark(before.set_at_ms)}}`;
  store.run(
    'INSERT OR REPLACE INTO marks (tree, name, node, set_at_ms) VALUES (?, ?, ?, ?)',
    ...[row.tree, name, seq, context.atMs],
  );
  sealMarks(store, row.tree);
  changeTree(context, row, { kind: 'mark_set', fields: `"tree":"${tree}","mark":${mark(context.atMs)}` });
  return `{"mark":${mark(context.atMs)}}`;
};

type MarkMove = Pick<ParsedOf<'loom.mark_set'>, 'name' | 'node'> & { expected: NodeId | null };

/** Refuses to move a mark that is not where the caller thinks; one that is as wanted already is left, since a call may come twice. */
function refuseElsewhere(store: Store, { tree }: TreeRow, { name, node, expected }: MarkMove): void {
  const sql =
    'SELECT lower(hex(n.id)) AS id FROM marks m CROSS JOIN nodes n ON n.seq = m.node WHERE m.tree = ? AND m.name = ?';
  const row = store.get<{ id: string }>(sql, tree, name);
  const current = row === undefined ? null : dashed(row.id);
  if (current === expected || current === node) return;
  const where = current === null ? 'is not set' : `is at ${current}`;
  throw conflict(`the mark ${JSON.stringify(name)} ${where}, not where it was expected`, 'look again, then decide', {
    node: current,
  });
}

/** Writes the checksums of a tree's marks that have none. */
export function sealMarks(store: Store, tree: number): void {
  const sql = `SELECT ${MARK_COLUMNS} FROM marks m WHERE m.tree = ? AND m.row_sum IS NULL`;
  for (const row of store.all<MarkRow>(sql, tree)) {
    store.run('UPDATE marks SET row_sum = ? WHERE tree = ? AND name = ?', markSum(row), tree, row.name);
  }
}
