import { HubError } from '../../hub/base/error.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { Tree } from '../../hub/protocol/node.js';
import { noteRegister } from '../registers/registers.js';
import { canonicalJson } from '../store/canonical_json.js';
import { findTree, requireTree } from '../store/require_rows.js';
import { dashed, idBlob, type TreeRow } from '../store/rows.js';
import { stepEnd } from '../store/step_end.js';
import type { Store } from '../store/store.js';
import { requireAppendTarget, type WithId } from './append_nodes.js';
import { currentTreeJson, findNode, requireOpenTree } from './find_rows.js';
import { insertNode } from './insert_node.js';
import { sealTree } from './tree_counters.js';
import { conflict, insertChange, recordChange, type WriteContext, type WriteOp } from './write_operation.js';

type CreateParams = WithId<ParsedOf<'loom.tree_create'>>;
type Origin = Pick<CreateParams, 'project' | 'owner'> & {
  name: string | null;
  forked_from?: Tree['forked_from'] | undefined;
};

export const createTree: WriteOp<CreateParams> = (context, params) => {
  const { store } = context;
  const origin = originOf(params);
  const first = findTree(store, params.id);
  if (first !== undefined) {
    if (first.importing === 0 && storedOrigin(store, first.tree) === origin) return currentTreeJson(store, params.id);
    throw conflict(`the id ${params.id} belongs to another tree already`, 'use a fresh random id for each new tree');
  }
  if (findNode(store, params.id) !== undefined) {
    throw conflict(`the id ${params.id} belongs to a node already`, 'use a fresh random id for each new tree');
  }
  if (params.owner !== null) refuseArchivedOwner(store, params.owner);
  refuseTakenName(store, params.name);
  const tree = insertTree(context, { ...params, importing: false, createdAtMs: context.atMs });
  insertNode(
    context,
    { id: params.id, role: 'root', step: null, settings: null, blocks: [], external: null },
    { tree, above: null, createdAtMs: context.atMs, outputs: 'present', siblings: null, by: null },
  );
  return currentTreeJson(store, params.id);
};

/** Nothing begins on behalf of an archived conversation, but what its open turns still begin. */
function refuseArchivedOwner(store: Store, owner: NonNullable<Origin['owner']>): void {
  const row = findTree(store, owner.tree);
  if (row === undefined) return;
  const open = "SELECT 1 FROM turns WHERE tree = ? AND state IN ('running', 'waiting') LIMIT 1";
  if (store.get(open, row.tree) !== undefined) return;
  // The node of a model's call is stored after the tree that it asks for.
  const node = findNode(store, owner.node);
  if (node?.tree === row.tree) requireAppendTarget(store, { tree: owner.tree, parent: stepEnd(store, node) });
  else requireOpenTree(store, owner.tree);
}

/** Writes the row of a tree that has no nodes yet. An imported one gets its name when the import is complete. */
export function insertTree(
  context: WriteContext,
  tree: Origin & { id: string; importing: boolean; createdAtMs: number },
): TreeRow {
  const { store } = context;
  const id = idBlob(tree.id);
  const seq = context.nextSeq();
  store.run(
    `INSERT INTO trees (id, origin, name, project, owner_tree, owner_node, fork_tree, fork_node,
       created_at_ms, importing, updated_at_ms, last_seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, originOf(tree), tree.importing ? null : tree.name, tree.project],
    ...[...placeBlobs(tree.owner), ...placeBlobs(tree.forked_from ?? null)],
    ...[tree.createdAtMs, tree.importing ? 1 : 0, context.atMs, seq],
  );
  const row = findTree(store, tree.id);
  if (row === undefined) throw new HubError('internal', `tree ${tree.id} vanished inside a transaction`);
  if (!tree.importing) announceTree(context, tree.id, seq);
  return row;
}

function placeBlobs(place: Origin['owner']): [Buffer | null, Buffer | null] {
  return place === null ? [null, null] : [idBlob(place.tree), idBlob(place.node)];
}

/** Publishes a new tree under a number of the feed that was drawn for it. */
export function announceTree(context: WriteContext, id: string, seq: number): void {
  const fields = `"tree":${currentTreeJson(context.store, id)}`;
  insertChange(context.store, { seq, treeBlob: idBlob(id), kind: 'tree_created', fields });
  context.publish({ seq, tree: id, kind: 'tree_created', fields });
}

/** The arguments that a tree was created with, which tell a retry from another tree under the same id. */
export function originOf({ name, project, owner, forked_from: fork = null }: Origin): string {
  return canonicalJson({ name, project, owner, ...(fork === null ? {} : { forked_from: fork }) });
}

export function storedOrigin(store: Store, tree: number): string | undefined {
  return store.get<{ origin: string }>('SELECT origin FROM trees WHERE tree = ?', tree)?.origin;
}

export const renameTree: WriteOp<ParsedOf<'loom.tree_update'>> = (context, { tree, name }) => {
  const row = requireOpenTree(context.store, tree);
  if (row.name === name) return currentTreeJson(context.store, tree);
  refuseTakenName(context.store, name);
  context.store.run('UPDATE trees SET name = ? WHERE tree = ?', name, row.tree);
  changeTree(context, row, { kind: 'tree_renamed', fields: `"tree":"${tree}","name":${JSON.stringify(name)}` });
  return currentTreeJson(context.store, tree);
};

export const archiveTree: WriteOp<ParsedOf<'loom.tree_archive'>> = (context, { tree }) => {
  const row = requireTree(context.store, tree);
  if (row.archived_at_ms === null) {
    context.store.run('UPDATE trees SET archived_at_ms = ? WHERE tree = ?', context.atMs, row.tree);
    changeTree(context, row, { kind: 'tree_archived', fields: `"tree":"${tree}"` });
  }
  return currentTreeJson(context.store, tree);
};

export const restoreTree: WriteOp<ParsedOf<'loom.tree_restore'>> = (context, { tree }) => {
  const row = requireTree(context.store, tree);
  if (row.archived_at_ms !== null) {
    const name = freeName(context.store, row.name);
    context.store.run('UPDATE trees SET archived_at_ms = NULL, name = ? WHERE tree = ?', name, row.tree);
    changeTree(context, row, { kind: 'tree_restored', fields: `"tree":"${tree}","name":${JSON.stringify(name)}` });
  }
  return currentTreeJson(context.store, tree);
};

interface TreeChange {
  kind: string;
  /** JSON, without its braces. */
  fields: string;
  /** Whether another hub has decided it, for a tree that is shared. */
  isFromElsewhere?: boolean;
}

/** Records a change of a tree and makes it the tree's newest activity. */
export function changeTree(context: WriteContext, row: TreeRow, change: TreeChange): void {
  if (!change.isFromElsewhere) noteRegister(context.store, { tree: row.tree, atMs: context.atMs }, change);
  const seq = recordChange(context, { ...change, tree: dashed(row.id), treeBlob: idBlob(row.id) });
  context.store.run('UPDATE trees SET last_seq = ?, updated_at_ms = ? WHERE tree = ?', seq, context.atMs, row.tree);
  sealTree(context.store, row.tree);
}

/** The name itself when no unarchived tree has it, else the name with the first free number. */
export function freeName(store: Store, name: string | null): string | null {
  if (name === null || !isTaken(store, name)) return name;
  for (let number = 2; ; number++) {
    const numbered = `${name} (${number})`;
    if (!isTaken(store, numbered)) return numbered;
  }
}

export function refuseTakenName(store: Store, name: string | null): void {
  if (name === null || !isTaken(store, name)) return;
  throw conflict(`there is a tree named ${JSON.stringify(name)} already`, 'choose another name, or rename that tree', {
    name,
  });
}

function isTaken(store: Store, name: string): boolean {
  const sql = 'SELECT 1 FROM trees WHERE name = ? AND archived_at_ms IS NULL AND importing = 0';
  return store.get(sql, name) !== undefined;
}
