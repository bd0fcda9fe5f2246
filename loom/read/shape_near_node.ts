import type { ReadContext } from '../paging/read_context.js';
import { siblingRanks } from '../registers/sibling_order.js';
import { requireNodeOfTree, requireTree } from '../store/require_rows.js';
import { IS_SILENT } from '../store/rows.js';
import type { Store } from '../store/store.js';
import type { ReadParams } from './read_methods.js';
import { archivedTops, shapeAt } from './tree_shape.js';

/** The longest path that is followed up: almost every conversation is shorter, and it takes a few milliseconds. */
const PATH_NODES_MAX = 4_000;
/** How many first nodes of a branch are included, so that a branch of a single node is recognisable. */
const FIRST_NODES = 3;

/** A branch's first node is listed unless it is archived or a silent answer without visible children. */
const IS_LISTED = `NOT EXISTS (SELECT 1 FROM archived_branches a WHERE a.node = n.seq)
      AND NOT (${IS_SILENT} AND NOT EXISTS (
        SELECT 1 FROM nodes c WHERE c.parent = n.seq
          AND NOT EXISTS (SELECT 1 FROM archived_branches a WHERE a.node = c.seq)))`;

/** The path up from a node, itself first, with another branch beside each. */
export const PATH_UP = `
  WITH RECURSIVE way (seq, parent) AS (
    SELECT n.seq, n.parent FROM nodes n WHERE n.seq = ?
    UNION ALL SELECT n.seq, n.parent FROM way CROSS JOIN nodes n ON n.seq = way.parent LIMIT ${PATH_NODES_MAX}
  )
  SELECT way.seq, way.parent,
    (SELECT ${IS_SILENT} FROM nodes n WHERE n.seq = way.seq) AS silent,
    (SELECT n.seq FROM nodes n WHERE n.parent = way.parent AND n.seq <> way.seq AND ${IS_LISTED} LIMIT 1) AS beside
  FROM way`;

export const SIBLINGS = `
  SELECT n.seq, ${IS_SILENT} AS silent FROM nodes n WHERE n.parent = ? AND n.seq <> ? AND ${IS_LISTED}
  ORDER BY n.seq DESC LIMIT ?`;
export const CHILDREN = `
  SELECT n.seq, ${IS_SILENT} AS silent FROM nodes n WHERE n.parent = ? AND ${IS_LISTED} ORDER BY n.seq LIMIT ?`;

/** The first children of these nodes, and of those again, down to `FIRST_NODES`. */
export const FIRST_BELOW = `
  WITH RECURSIVE below (seq, level) AS (
    SELECT list.value, 0 FROM json_each(?) list
    UNION ALL
    SELECT (SELECT n.seq FROM nodes n WHERE n.parent = below.seq AND ${IS_LISTED} ORDER BY n.seq LIMIT 1), level + 1
    FROM below WHERE below.seq IS NOT NULL AND level < ${FIRST_NODES}
  )
  SELECT seq FROM below WHERE level > 0 AND seq IS NOT NULL`;

interface Child {
  seq: number;
  silent: number;
}

interface WayStep extends Child {
  parent: number | null;
  beside: number | null;
}

/** The collected nodes near a node. */
interface NearShape {
  store: Store;
  seqs: Set<number>;
  /** The first nodes of branches that are shown as one row. */
  heads: Set<number>;
}

interface RowsInReach {
  rows: number;
  isWhole: boolean;
}

/** The nodes near a node, in a tree whose branches are folded except those on its path. */
export function getShapeNear({ store }: ReadContext, params: ReadParams['loom.tree_get_near']): string {
  const { tree, node_count } = requireTree(store, params.tree);
  const node = requireNodeOfTree(store, params.node, params.tree);
  const tops = archivedTops(store, tree);
  const all = store.all<WayStep>(PATH_UP, node.seq);
  const visiblePath = all.slice(all.findLastIndex(({ seq }) => tops.has(seq)) + 1);
  // A silent answer is represented by its parent.
  const path = visiblePath.slice(visiblePath.findIndex(({ silent }) => silent === 0));
  const [here] = path;
  if (here === undefined) throw new RangeError(`node ${node.seq} has no way up`);
  const shape: NearShape = { store, seqs: new Set(path.map(({ seq }) => seq)), heads: new Set() };
  addForks(shape, path);
  const above = addRowsAbove(shape, path, params.rows);
  const below = addRowsBelow(shape, here.seq, params.rows);
  for (const { seq } of store.all<Child>(FIRST_BELOW, JSON.stringify([...shape.heads]))) shape.seqs.add(seq);
  const columns = shapeAt(
    store,
    [...shape.seqs].sort((a, b) => a - b),
  );
  const isHidden = visiblePath.length < all.length;
  return (
    `{${columns},"ranks":[${siblingRanks(store, tree).join()}],"node":${here.seq},"hidden":${isHidden},"above":${above.rows},"below":${below.rows},` +
    `"begins":${above.isWhole},"ends":${below.isWhole},"node_count":${node_count}}`
  );
}

/** One other branch at each fork of the path, which shows that it is a fork. */
function addForks(shape: NearShape, path: readonly WayStep[]): void {
  for (const { beside } of path) if (beside !== null) addHead(shape, beside);
}

function addHead({ seqs, heads }: NearShape, seq: number): void {
  seqs.add(seq);
  heads.add(seq);
}

/** Adds the rows above: at each step up the other branches, the last of them first, then their parent. */
function addRowsAbove(shape: NearShape, path: readonly WayStep[], rowsMax: number): RowsInReach {
  let rows = 0;
  for (const step of path) {
    if (step.silent === 0 && step !== path[0]) rows += 1;
    if (step.parent === null) return { rows, isWhole: true };
    if (rows >= rowsMax) break;
    if (step.beside === null) continue;
    const others = shape.store.all<Child>(SIBLINGS, step.parent, step.seq, rowsMax - rows + 1);
    for (const { seq } of others) addHead(shape, seq);
    rows += others.length;
    if (rows >= rowsMax) break;
  }
  return { rows: Math.min(rows, rowsMax), isWhole: false };
}

/** Adds the rows below the node: the run up to the first fork, then its branches. */
function addRowsBelow(shape: NearShape, from: number, rowsMax: number): RowsInReach {
  let rows = 0;
  let at = from;
  while (rows <= rowsMax) {
    const children = shape.store.all<Child>(CHILDREN, at, rowsMax - rows + 2);
    const [only] = children;
    if (only === undefined) return { rows, isWhole: true };
    if (children.length > 1) {
      for (const { seq } of children) addHead(shape, seq);
      rows += children.length;
      return { rows: Math.min(rows, rowsMax), isWhole: rows <= rowsMax };
    }
    shape.seqs.add(only.seq);
    if (only.silent === 0) rows += 1;
    at = only.seq;
  }
  return { rows: rowsMax, isWhole: false };
}
