import { HubError } from '../../hub/base/error.js';
import { cliCommand, rpcMethod } from '../../hub/base/hint.js';
import { hashMatches } from './node_hash.js';
import {
  dashed,
  idBlob,
  NODE_COLUMNS,
  type NodeRow,
  TREE_COLUMNS,
  type TreeRow,
  TURN_COLUMNS,
  type TurnRow,
} from './rows.js';
import type { Store } from './store.js';

/** A tree by its id, archived or not, also while it is being imported. */
export function findTree(store: Store, id: string): TreeRow | undefined {
  return store.get<TreeRow>(`SELECT ${TREE_COLUMNS} FROM trees t WHERE t.id = ?`, idBlob(id));
}

/** A tree by its id, archived or not; one that is still being imported does not count. */
export function requireTree(store: Store, id: string): TreeRow {
  const row = findTree(store, id);
  if (row !== undefined && row.importing === 0) return row;
  throw treeNotFound(id);
}

export function treeNotFound(id: string): HubError {
  return new HubError('not_found', `there is no tree ${id}`, {
    hint: [
      'see them with: ',
      cliCommand('list'),
      ', or ',
      cliCommand('list', '--archived'),
      '; start one with: ',
      cliCommand('new'),
    ],
    details: { tree: id },
  });
}

/** A whole node by its number. */
export function findNodeRow(store: Store, seq: number): NodeRow | undefined {
  const row = store.get<NodeRow>(`SELECT ${NODE_COLUMNS} FROM nodes n WHERE n.seq = ?`, seq);
  return row === undefined ? undefined : withTrueDepth(store, row);
}

const NODES_ABOVE = `
  WITH RECURSIVE up (seq) AS (
    SELECT parent FROM nodes WHERE seq = ? AND parent < seq
    UNION ALL SELECT n.parent FROM up CROSS JOIN nodes n ON n.seq = up.seq AND n.parent < n.seq
  )
  SELECT count(*) AS count FROM up`;

/** No hash covers a depth: where it does not fit its parent's, one of both is damaged, and the nodes above are counted. */
export function withTrueDepth<Row extends Pick<NodeRow, 'seq' | 'depth' | 'parent_depth'>>(
  store: Store,
  row: Row,
): Row {
  if (row.depth === (row.parent_depth ?? -1) + 1) return row;
  return { ...row, depth: store.get<{ count: number }>(NODES_ABOVE, row.seq)?.count ?? 0 };
}

/** The numbers of a node, without its contents. */
export interface NodeKey {
  seq: number;
  tree: number;
  treeId: string;
}

/** `is_own`: whether the row has this id, too. SQLite takes `n.id` from the index that led here. */
const NODE_OF_ID = `
  SELECT n.seq, n.tree, lower(hex(t.id)) AS tree_id, (SELECT o.id FROM nodes o WHERE o.seq = n.seq) = n.id AS is_own
  FROM nodes n JOIN trees t ON t.tree = n.tree WHERE n.id = ? AND t.importing = 0`;

/** A node by its id, in any tree. */
export function requireNode(store: Store, id: string): NodeKey {
  const node = findNodeKey(store, id);
  if (node === null) throw nodeNotFound(id);
  return node;
}

/** A node by its id, in any tree; null when there is none. */
export function findNodeKey(store: Store, id: string): NodeKey | null {
  const row = store.get<{ seq: number; tree: number; tree_id: string; is_own: number }>(NODE_OF_ID, idBlob(id));
  if (row === undefined) return null;
  if (row.is_own === 0) refuseOther(store, row.seq, id);
  return { seq: row.seq, tree: row.tree, treeId: dashed(row.tree_id) };
}

/** Refuses a sound node that a damaged index gives for another one; of a damaged one it is shown where it stands. */
function refuseOther(store: Store, seq: number, id: string): void {
  const other = findNodeRow(store, seq);
  if (other === undefined || !hashMatches(other)) return;
  throw leadsElsewhere(id);
}

export function leadsElsewhere(id: string): HubError {
  return new HubError('storage_failed', `the index of the nodes is damaged: it leads from ${id} to another node`, {
    hint: ['see what is damaged: ', cliCommand('fsck')],
    details: { node: id },
  });
}

/** A node by its id, which must belong to the tree. */
export function requireNodeOfTree(store: Store, id: string, tree: string): NodeKey {
  const node = requireNode(store, id);
  if (node.treeId === tree) return node;
  throw new HubError('not_found', `node ${id} is not in tree ${tree}: it belongs to tree ${node.treeId}`, {
    hint: `use tree ${node.treeId} instead`,
    details: { node: id, tree: node.treeId },
  });
}

export function nodeNotFound(id: string): HubError {
  return new HubError('not_found', `there is no node ${id}`, {
    hint: ['see them with: ', cliCommand('show', '<tree>', '--ids')],
    details: { node: id },
  });
}

export function findTurn(store: Store, id: string): TurnRow | undefined {
  return store.get<TurnRow>(`SELECT ${TURN_COLUMNS} FROM turns u WHERE u.id = ?`, idBlob(id));
}

export function requireTurn(store: Store, id: string): TurnRow {
  const turn = findTurn(store, id);
  if (turn !== undefined) return turn;
  throw new HubError('not_found', `there is no turn ${id}`, {
    hint: ['list those of a tree: ', rpcMethod('loom.turn_list')],
    details: { turn: id },
  });
}
