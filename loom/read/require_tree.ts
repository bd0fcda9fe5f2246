import { HubError } from '../../hub/base/error.js';
import { dashed, idBlob, TREE_COLUMNS, type TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';

/** A tree by its id; one that is still being imported is not there yet. */
export function requireTree(store: Store, id: string): TreeRow {
  const row = store.get<TreeRow>(`SELECT ${TREE_COLUMNS} FROM trees t WHERE t.id = ? AND t.importing = 0`, idBlob(id));
  if (row === undefined) throw noTree(id);
  return row;
}

/** Says that a tree is not there, or not any more. */
export function noTree(id: string): HubError {
  return new HubError('not_found', `there is no tree ${id}`, {
    hint: 'run: cognition list   (cognition list --archived shows the archived ones)',
    details: { tree: id },
  });
}

/** Where a node stands, without what it says. */
export interface NodePlace {
  seq: number;
  tree: number;
  treeId: string;
}

/** A node by its id, in whichever tree. */
export function requireNode(store: Store, id: string): NodePlace {
  const row = store.get<{ seq: number; tree: number; tree_id: string }>(
    `SELECT n.seq, n.tree, lower(hex(t.id)) AS tree_id FROM nodes n JOIN trees t ON t.tree = n.tree
     WHERE n.id = ? AND t.importing = 0`,
    idBlob(id),
  );
  if (row === undefined) throw noNode(id);
  return { seq: row.seq, tree: row.tree, treeId: dashed(row.tree_id) };
}

/** A node by its id, which must belong to the tree. */
export function requireNodeOf(store: Store, id: string, tree: string): NodePlace {
  const place = requireNode(store, id);
  if (place.treeId === tree) return place;
  throw new HubError('not_found', `node ${id} is not in tree ${tree}: it belongs to tree ${place.treeId}`, {
    hint: `use tree ${place.treeId} instead`,
    details: { node: id, tree: place.treeId },
  });
}

/** Says that a node is not there, or not any more. */
export function noNode(id: string): HubError {
  return new HubError('not_found', `there is no node ${id}`, {
    hint: 'run: cognition show <tree>   (it draws the nodes with their ids)',
    details: { node: id },
  });
}
