import { HubError } from '../../hub/base/error.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { canonicalJson } from '../store/canonical_json.js';
import { dashed, idBlob, type TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';
import type { WithId } from './append_nodes.js';
import { insertNode } from './insert_node.js';
import { knownTree, openTree, storedNode, treeJsonNow, treeRow } from './stored_rows.js';
import { conflict, recordChange, type WriteOp, type Writing } from './write_operation.js';

type Creation = WithId<ParsedOf<'loom.tree_create'>>;
type Origin = Pick<Creation, 'name' | 'project' | 'owner'>;

export const createTree: WriteOp<Creation> = (writing, params) => {
  const { store } = writing;
  const origin = originOf(params);
  const first = treeRow(store, params.id);
  if (first !== undefined) {
    if (first.importing === 0 && storedOrigin(store, first.tree) === origin) return treeJsonNow(store, params.id);
    throw conflict(`the id ${params.id} belongs to another tree already`, 'use a fresh random id for each new tree');
  }
  if (storedNode(store, params.id) !== undefined) {
    throw conflict(`the id ${params.id} belongs to a node already`, 'use a fresh random id for each new tree');
  }
  refuseTakenName(store, params.name);
  const tree = insertTree(writing, { ...params, importing: false, createdAtMs: writing.atMs });
  insertNode(
    writing,
    { id: params.id, role: 'root', step: null, settings: null, blocks: [], external: null },
    { tree, above: null, createdAtMs: writing.atMs, outputs: 'present', siblings: null },
  );
  return treeJsonNow(store, params.id);
};

/** Writes the row of a tree that has no nodes yet. An imported one gets its name when the import is complete. */
export function insertTree(
  writing: Writing,
  tree: Origin & { id: string; importing: boolean; createdAtMs: number },
): TreeRow {
  const { store } = writing;
  const id = idBlob(tree.id);
  const owner = tree.owner === null ? [null, null] : [idBlob(tree.owner.tree), idBlob(tree.owner.node)];
  const seq = writing.nextSeq();
  store.run(
    `INSERT INTO trees (id, origin, name, project, owner_tree, owner_node, created_at_ms, importing,
       updated_at_ms, last_seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, originOf(tree), tree.importing ? null : tree.name, tree.project, ...owner],
    ...[tree.createdAtMs, tree.importing ? 1 : 0, writing.atMs, seq],
  );
  const row = treeRow(store, tree.id);
  if (row === undefined) throw new HubError('internal', `tree ${tree.id} vanished inside a transaction`);
  if (!tree.importing) announceTree(writing, tree.id, seq);
  return row;
}

/** Tells the feed of a tree, under a number that was drawn for it. */
export function announceTree(writing: Writing, id: string, seq: number): void {
  const fields = `"tree":${treeJsonNow(writing.store, id)}`;
  writing.store.run(
    'INSERT INTO changes (seq, tree_id, body) VALUES (?, ?, ?)',
    ...[seq, idBlob(id), `{"kind":"tree_created",${fields}}`],
  );
  writing.publish({ seq, tree: id, kind: 'tree_created', fields });
}

/** What a tree was created with: tells a retry from another tree under the same id. */
export function originOf({ name, project, owner }: Origin): string {
  return canonicalJson({ name, project, owner });
}

function storedOrigin(store: Store, tree: number): string | undefined {
  return store.get<{ origin: string }>('SELECT origin FROM trees WHERE tree = ?', tree)?.origin;
}

export const renameTree: WriteOp<ParsedOf<'loom.tree_update'>> = (writing, { tree, name }) => {
  const row = openTree(writing.store, tree);
  if (row.name === name) return treeJsonNow(writing.store, tree);
  refuseTakenName(writing.store, name);
  writing.store.run('UPDATE trees SET name = ? WHERE tree = ?', name, row.tree);
  changeTree(writing, row, { kind: 'tree_renamed', fields: `"tree":"${tree}","name":${JSON.stringify(name)}` });
  return treeJsonNow(writing.store, tree);
};

export const archiveTree: WriteOp<ParsedOf<'loom.tree_archive'>> = (writing, { tree }) => {
  const row = knownTree(writing.store, tree);
  if (row.archived_at_ms === null) {
    writing.store.run('UPDATE trees SET archived_at_ms = ? WHERE tree = ?', writing.atMs, row.tree);
    changeTree(writing, row, { kind: 'tree_archived', fields: `"tree":"${tree}"` });
  }
  return treeJsonNow(writing.store, tree);
};

export const restoreTree: WriteOp<ParsedOf<'loom.tree_restore'>> = (writing, { tree }) => {
  const row = knownTree(writing.store, tree);
  if (row.archived_at_ms !== null) {
    const name = freeName(writing.store, row.name);
    writing.store.run('UPDATE trees SET archived_at_ms = NULL, name = ? WHERE tree = ?', name, row.tree);
    changeTree(writing, row, { kind: 'tree_restored', fields: `"tree":"${tree}","name":${JSON.stringify(name)}` });
  }
  return treeJsonNow(writing.store, tree);
};

/** Records a change of a tree and makes it the tree's newest activity. */
export function changeTree(writing: Writing, row: TreeRow, change: { kind: string; fields: string }): void {
  const seq = recordChange(writing, { ...change, tree: dashed(row.id), treeBlob: idBlob(row.id) });
  writing.store.run('UPDATE trees SET last_seq = ?, updated_at_ms = ? WHERE tree = ?', seq, writing.atMs, row.tree);
}

/** The name itself when no unarchived tree has it, else with the first number that makes it free. */
export function freeName(store: Store, name: string | null): string | null {
  if (name === null || !isTaken(store, name)) return name;
  for (let number = 2; ; number++) {
    const numbered = `${name} (${number})`;
    if (!isTaken(store, numbered)) return numbered;
  }
}

function refuseTakenName(store: Store, name: string | null): void {
  if (name === null || !isTaken(store, name)) return;
  throw conflict(`there is a tree named ${JSON.stringify(name)} already`, 'choose another name, or rename that tree', {
    name,
  });
}

function isTaken(store: Store, name: string): boolean {
  const sql = 'SELECT 1 FROM trees WHERE name = ? AND archived_at_ms IS NULL AND importing = 0';
  return store.get(sql, name) !== undefined;
}
