import type { Register } from '../../hub/protocol/methods/sharing_methods.js';
import { takeRegister } from '../registers/registers.js';
import { ARCHIVE_BRANCH } from '../store/row_sums.js';
import { dashed, type TreeRow } from '../store/rows.js';
import { recountBranches, requireStepStart } from '../write/archive_branches.js';
import { changeTree, freeName } from '../write/change_trees.js';
import { requireNodeInTree } from '../write/find_rows.js';
import { sealMarks } from '../write/marks.js';
import type { WriteContext } from '../write/write_operation.js';

interface Applying {
  context: WriteContext;
  row: TreeRow;
  /** Tells the watchers; `more` are fields after that of the tree. */
  tell(kind: string, more?: string): void;
}

/** Does what another hub has decided, if that is later than what is decided here. */
export function applyRegister(context: WriteContext, row: TreeRow, register: Register): void {
  const { store } = context;
  const tell = (kind: string, more = ''): void =>
    changeTree(context, row, { kind, fields: `"tree":"${dashed(row.id)}"${more}`, isFromElsewhere: true });
  const applying: Applying = { context, row, tell };
  // What it points at must be here, whether or not it counts.
  if (register.of === 'mark' && register.value !== null) requireNodeInTree(store, row, register.value);
  if (register.of === 'branch') requireStepStart(store, row, register.node);
  if (!takeRegister(store, row.tree, register)) return;
  switch (register.of) {
    case 'name':
      rename(applying, register.value);
      break;
    case 'archived':
      archiveTree(applying, register.value);
      break;
    case 'mark':
      moveMark(applying, register);
      break;
    case 'branch':
      archiveBranch(applying, register);
      break;
  }
}

function rename({ context: { store }, row, tell }: Applying, wanted: string | null): void {
  if (wanted === row.name) return;
  const name = freeName(store, wanted);
  store.run('UPDATE trees SET name = ? WHERE tree = ?', name, row.tree);
  tell('tree_renamed', `,"name":${JSON.stringify(name)}`);
}

function archiveTree({ context: { store, atMs }, row, tell }: Applying, isArchived: boolean): void {
  if (isArchived === (row.archived_at_ms !== null)) return;
  const name = isArchived ? row.name : freeName(store, row.name);
  store.run('UPDATE trees SET archived_at_ms = ?, name = ? WHERE tree = ?', isArchived ? atMs : null, name, row.tree);
  if (isArchived) tell('tree_archived');
  else tell('tree_restored', `,"name":${JSON.stringify(name)}`);
}

function moveMark({ context: { store }, row, tell }: Applying, mark: Extract<Register, { of: 'mark' }>): void {
  const { name, value: node, at_ms: atMs } = mark;
  if (node === null) {
    const removed = store.run('DELETE FROM marks WHERE tree = ? AND name = ?', row.tree, name);
    if (removed > 0) tell('mark_removed', `,"name":${JSON.stringify(name)}`);
    return;
  }
  const { seq } = requireNodeInTree(store, row, node);
  store.run(
    'INSERT OR REPLACE INTO marks (tree, name, node, set_at_ms) VALUES (?, ?, ?, ?)',
    ...[row.tree, name, seq, atMs],
  );
  sealMarks(store, row.tree);
  const place = `"node":"${node}","seq":${seq},"set_at_ms":${atMs}`;
  tell('mark_set', `,"mark":{"tree":"${dashed(row.id)}","name":${JSON.stringify(name)},${place}}`);
}

function archiveBranch({ context: { store }, row, tell }: Applying, branch: Extract<Register, { of: 'branch' }>): void {
  const top = requireStepStart(store, row, branch.node);
  const changed = branch.value
    ? store.run(ARCHIVE_BRANCH, top.seq, row.tree, branch.at_ms)
    : store.run('DELETE FROM archived_rows WHERE node = ?', top.seq);
  if (changed === 0) return;
  tell(branch.value ? 'branch_archived' : 'branch_restored', `,"node":"${dashed(top.id)}"`);
  recountBranches(store, row.tree);
}
