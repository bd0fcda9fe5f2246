import { idBlob } from '../store/rows.js';
import type { Store } from '../store/store.js';

/** The sibling that came last before a node: only with that one it has to be compared, as long as those before are in order. */
const SIBLING_BEFORE = `SELECT (created_at_ms, id) > (?, ?) AS is_later FROM nodes
  WHERE parent = ? AND seq < ? ORDER BY seq DESC LIMIT 1`;

const NOTE = 'INSERT OR IGNORE INTO reordered_parents (tree, node) VALUES (?, ?)';

/** Notes it when a node of a shared tree was made before a sibling that is here already. */
export function noteSiblingOrder(
  store: Store,
  node: { tree: number; parent: number | null; seq: number; id: string; created_at_ms: number },
): void {
  if (store.get('SELECT 1 FROM shares WHERE tree = ? LIMIT 1', node.tree) === undefined) return;
  const values = [node.created_at_ms, idBlob(node.id), node.parent, node.seq];
  const before = store.get<{ is_later: number }>(SIBLING_BEFORE, ...values);
  if (before?.is_later === 1) store.run(NOTE, node.tree, node.parent);
}

/** The same for all that a tree has when it is shared first. */
export function noteSiblingOrders(store: Store, tree: number): void {
  store.run(
    `INSERT OR IGNORE INTO reordered_parents (tree, node)
     SELECT ?, parent FROM (
       SELECT parent, (created_at_ms, id) < (lag(created_at_ms) OVER siblings, lag(id) OVER siblings) AS is_earlier
       FROM nodes WHERE tree = ? AND parent IS NOT NULL WINDOW siblings AS (PARTITION BY parent ORDER BY seq)
     ) WHERE is_earlier`,
    ...[tree, tree],
  );
}

/** Siblings that are ranked in one tree; those beyond stand in the order in which they came. */
const RANKED_MAX = 50_000;

const REORDERED = 'SELECT node FROM reordered_parents WHERE tree = ? ORDER BY node';
/** The order of siblings in a shared tree, the same at every hub. */
export const SIBLING_ORDER = 'n.created_at_ms, n.id';
const CHILDREN = `SELECT n.seq FROM nodes n WHERE n.parent = ? ORDER BY ${SIBLING_ORDER} LIMIT ${RANKED_MAX}`;

/**
 * Where siblings do not stand in the order in which they came: pairs of a node's `seq` and the `seq` whose place among its siblings it
 * takes, in one list. Empty for a tree that was never shared, and for nearly all that were.
 */
export function siblingRanks(store: Store, tree: number): number[] {
  const pairs: number[] = [];
  for (const { node } of store.all<{ node: number }>(REORDERED, tree)) {
    const ordered = store.all<{ seq: number }>(CHILDREN, node).map(({ seq }) => seq);
    const places = [...ordered].sort((one, other) => one - other);
    for (const [index, seq] of ordered.entries()) {
      const rank = places[index] ?? seq;
      if (rank !== seq) pairs.push(seq, rank);
    }
    if (pairs.length >= 2 * RANKED_MAX) break;
  }
  return pairs;
}

/** Whether the children of a node are listed by when they were made. */
export function isReordered(store: Store, node: number): boolean {
  const sql =
    'SELECT 1 FROM nodes n CROSS JOIN reordered_parents r ON r.tree = n.tree AND r.node = n.seq WHERE n.seq = ?';
  return store.get(sql, node) !== undefined;
}
