import { HubError } from '../../hub/base/error.js';
import { cliCommand, rpcMethod } from '../../hub/base/hint.js';
import { checkedTreeJson } from '../store/damaged_row.js';
import { leadsElsewhere, requireTree, withTrueDepth } from '../store/require_rows.js';
import { dashed, idBlob, type NodeRow, type TreeRow } from '../store/rows.js';
import type { Store } from '../store/store.js';

/** The columns of a node that an append needs: never its contents, which may be megabytes. */
export interface StoredNode {
  seq: number;
  id: string;
  tree: number;
  parent: number | null;
  depth: number;
  step: string | null;
  step_index: number | null;
  step_size: number | null;
  hash: Buffer;
}

/** Whether the row has the id by which it was found: SQLite takes `p.id` from the index that led to it. */
const IS_OWN = '(SELECT o.id FROM nodes o WHERE o.seq = p.seq) = p.id';

const PARENT_DEPTH = '(SELECT q.depth FROM nodes q WHERE q.seq = p.parent) AS parent_depth';

const STORED_NODE = `SELECT p.seq, lower(hex(p.id)) AS id, p.tree, p.parent, p.depth, ${PARENT_DEPTH},
  nullif(lower(hex(p.step)), '') AS step, p.step_index, p.step_size, p.hash, ${IS_OWN} AS is_own FROM nodes p`;

type DeepNode = StoredNode & Pick<NodeRow, 'parent_depth'>;

export function findNode(store: Store, id: string): (StoredNode & { is_own: number }) | undefined {
  const row = store.get<DeepNode & { is_own: number }>(`${STORED_NODE} WHERE p.id = ?`, idBlob(id));
  return row === undefined ? undefined : withTrueDepth(store, row);
}

/** A target for a new node that needs no further check. */
export interface ClearTarget {
  tree: TreeKey;
  above: StoredNode;
  /** Whether the node has children; all of them are visible. */
  hasChild: boolean;
}

export const CLEAR_TARGET = `SELECT p.seq, lower(hex(p.id)) AS id, p.tree, p.parent, p.depth, ${PARENT_DEPTH},
  nullif(lower(hex(p.step)), '') AS step, p.step_index, p.step_size, p.hash,
  EXISTS (SELECT 1 FROM nodes c WHERE c.parent = p.seq) AS has_child
  FROM trees t CROSS JOIN nodes p ON p.id = ? AND p.tree = t.tree
  WHERE t.id = ? AND t.archived_at_ms IS NULL AND t.importing = 0 AND ${IS_OWN}
    AND (p.step IS NULL OR p.step_index = p.step_size - 1)
    AND NOT EXISTS (SELECT 1 FROM archived_branches a WHERE a.tree = t.tree)
    AND NOT EXISTS (SELECT 1 FROM nodes d WHERE d.id = ?)`;

/**
 * What nearly every append needs, in one query: the parent in its tree, when neither is archived, the parent is settled
 * and the new id is free. Null means that the single checks must find out more.
 */
export function findClearTarget(store: Store, ids: { tree: string; parent: string; id: string }): ClearTarget | null {
  const row = store.get<DeepNode & { has_child: number }>(
    CLEAR_TARGET,
    idBlob(ids.parent),
    idBlob(ids.tree),
    idBlob(ids.id),
  );
  if (row === undefined) return null;
  const tree = { tree: row.tree, id: ids.tree.replaceAll('-', '') };
  return { tree, above: withTrueDepth(store, row), hasChild: row.has_child === 1 };
}

/** The contents of a node, to compare a retry with. */
export interface StoredContents {
  role: string;
  settings: number | null;
  external: string | null;
  blocks: string;
  meta: string | null;
}

export function findContents(store: Store, seq: number): StoredContents | undefined {
  return store.get<StoredContents>('SELECT role, settings, external, blocks, meta FROM nodes WHERE seq = ?', seq);
}

/** The columns of a tree that an append needs. */
export type TreeKey = Pick<TreeRow, 'tree' | 'id'>;

/** What was archived after some work had begun is open to that work. */
const IS_ARCHIVED = 'archived_at_ms < ?';
const startOf = (begunAtMs: number | null): number => begunAtMs ?? Number.MAX_SAFE_INTEGER;

/** A tree that can be appended to, by the fewest columns. */
export function requireAppendableTree(store: Store, id: string, begunAtMs: number | null): TreeKey {
  const row = store.get<{ tree: number; usable: number }>(
    `SELECT tree, (${IS_ARCHIVED}) IS NOT TRUE AND importing = 0 AS usable FROM trees WHERE id = ?`,
    ...[startOf(begunAtMs), idBlob(id)],
  );
  // The error needs the whole row.
  return row?.usable === 1 ? { tree: row.tree, id: id.replaceAll('-', '') } : requireOpenTree(store, id);
}

/** A tree that can be changed: one that is not archived. */
export function requireOpenTree(store: Store, id: string): TreeRow {
  const row = requireTree(store, id);
  if (row.archived_at_ms === null) return row;
  throw new HubError('archived', `tree ${row.name ?? id.slice(0, 8)} is archived, so it can be read but not changed`, {
    hint: ['run: ', cliCommand('restore', id.slice(0, 8))],
  });
}

export function currentTreeJson(store: Store, id: string): string {
  return checkedTreeJson(requireTree(store, id));
}

/** A node of this tree; the error says whether it is missing or in another tree. */
export function requireNodeInTree(store: Store, tree: TreeKey, id: string): StoredNode {
  const node = findNode(store, id);
  if (node === undefined) {
    throw new HubError('not_found', `there is no node ${id}`, {
      hint: ['see them with: ', cliCommand('show', tree.id.slice(0, 8), '--ids')],
    });
  }
  // What is appended below another node, or marked there, would stay wrong when the index has been repaired.
  if (node.is_own === 0) throw leadsElsewhere(id);
  if (node.tree === tree.tree) return node;
  const other = store.get<{ id: string }>('SELECT lower(hex(id)) AS id FROM trees WHERE tree = ?', node.tree);
  const otherId = dashed(other?.id ?? '');
  throw new HubError('not_found', `node ${id} belongs to another tree, ${otherId}`, {
    hint: `it is not in ${dashed(tree.id)}: name the tree and the node that belong together`,
    details: { tree: otherId },
  });
}

/** The archived node at or above this one, if there is any; of those archived before some work began, if that is said. */
export function findArchivedTop(
  store: Store,
  node: { seq: number; tree: number },
  begunAtMs: number | null = null,
): string | null {
  const start = startOf(begunAtMs);
  const any = store.get(`SELECT 1 FROM archived_branches WHERE tree = ? AND ${IS_ARCHIVED} LIMIT 1`, node.tree, start);
  if (any === undefined) return null;
  const top = store.get<{ id: string }>(
    `WITH RECURSIVE up (seq, parent) AS (
       SELECT seq, parent FROM nodes WHERE seq = ?
       UNION ALL SELECT n.seq, n.parent FROM up CROSS JOIN nodes n ON n.seq = up.parent
     )
     SELECT lower(hex(n.id)) AS id FROM up CROSS JOIN archived_branches a ON a.node = up.seq AND a.${IS_ARCHIVED}
     CROSS JOIN nodes n ON n.seq = a.node LIMIT 1`,
    ...[node.seq, start],
  );
  return top === undefined ? null : dashed(top.id);
}

/** The row number of settings, by their hash. */
export function requireSettings(store: Store, sha256: string | null): number | null {
  if (sha256 === null) return null;
  const row = store.get<{ settings: number }>('SELECT settings FROM settings WHERE sha256 = ?', idBlob(sha256));
  if (row !== undefined) return row.settings;
  throw new HubError('not_found', `there are no settings ${sha256}`, {
    hint: ['store them first: ', rpcMethod('loom.settings_put')],
  });
}
