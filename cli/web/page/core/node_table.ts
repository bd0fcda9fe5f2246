/** The index of no node. */
export const NONE = -1;
const START_CAPACITY = 1_024;

/**
 * Nodes in typed arrays, known by their index: parents stand before their children, and the children of one node are linked by
 * ascending `seq`. A million nodes take some 40 MB, where objects would take a gigabyte.
 */
export interface NodeTable {
  count: number;
  seq: Float64Array;
  /** Seconds since 1970. */
  at: Float64Array;
  parent: Int32Array;
  kind: Uint8Array;
  firstChild: Int32Array;
  lastChild: Int32Array;
  nextSibling: Int32Array;
  childCount: Int32Array;
}

/** A node as `loom.tree_get_shape` tells of it. */
export interface ShapeNode {
  seq: number;
  /** The `seq` of its parent; null for the root. */
  parent: number | null;
  /** The letter of its kind: r, u, a, A, b, s, t, or T for a call that failed. */
  kind: string;
  /** Seconds since 1970. */
  at: number;
}

/** Delta-coded nodes, as `loom.tree_get_shape` sends them. */
export interface ShapePage {
  seq: readonly number[];
  parent: readonly number[];
  kind: string;
  at: readonly number[];
  /** Pairs of a node and the one whose place among its siblings it takes, by `seq`. */
  ranks: readonly number[];
}

export function createNodeTable(): NodeTable {
  return { count: 0, ...allocate(START_CAPACITY) };
}

/** The number at an index that exists. */
export function numberAt(list: Int32Array | Float64Array, index: number): number {
  return list[index] ?? NONE;
}

export function addTo(list: Int32Array | Float64Array, index: number, by: number): void {
  list[index] = (list[index] ?? 0) + by;
}

/** Decodes the nodes of a page, in their order. */
export function eachNode({ seq, parent, kind, at }: ShapePage, take: (node: ShapeNode, index: number) => void): void {
  let number = 0;
  let seconds = 0;
  for (let index = 0; index < kind.length; index += 1) {
    number += seq[index] ?? 0;
    seconds += at[index] ?? 0;
    const distance = parent[index] ?? 0;
    const above = distance === 0 ? null : number - distance;
    take({ seq: number, parent: above, kind: kind.charAt(index), at: seconds }, index);
  }
}

/** Appends a node below the index of its parent; `NONE` for a root. */
export function appendNode(table: NodeTable, { seq, kind, at }: Omit<ShapeNode, 'parent'>, parent: number): void {
  if (table.count === table.seq.length) enlarge(table);
  const index = table.count;
  table.count += 1;
  table.seq[index] = seq;
  table.at[index] = at;
  table.parent[index] = parent;
  table.kind[index] = kind.charCodeAt(0);
  if (parent !== NONE) link(table, parent, index);
}

function link(table: NodeTable, parent: number, child: number): void {
  const { firstChild, lastChild, nextSibling, childCount } = table;
  addTo(childCount, parent, 1);
  const before = siblingBefore(table, parent, child);
  const after = before === NONE ? firstChild[parent] : nextSibling[before];
  if (before === NONE) firstChild[parent] = child;
  else nextSibling[before] = child;
  nextSibling[child] = after ?? NONE;
  if (after === NONE) lastChild[parent] = child;
}

/** The child after which a new one stands. Nearly always that is the last; otherwise it is looked for from the start. */
function siblingBefore({ seq, firstChild, lastChild, nextSibling }: NodeTable, parent: number, child: number): number {
  const own = seq[child] ?? 0;
  const last = lastChild[parent] ?? NONE;
  if (last === NONE || (seq[last] ?? 0) < own) return last;
  let before = NONE;
  for (let at = firstChild[parent] ?? NONE; (seq[at] ?? own) < own; at = nextSibling[at] ?? NONE) before = at;
  return before;
}

/** Puts children in order: by `rankOf`, which may stand for the `seq` of a node. */
export function orderChildren(table: NodeTable, parents: Iterable<number>, rankOf: (child: number) => number): void {
  const { firstChild, lastChild, nextSibling } = table;
  for (const parent of parents) {
    const children: number[] = [];
    for (let at = numberAt(firstChild, parent); at !== NONE; at = numberAt(nextSibling, at)) children.push(at);
    let next = NONE;
    for (const child of children.sort((one, other) => rankOf(other) - rankOf(one))) {
      if (next === NONE) lastChild[parent] = child;
      nextSibling[child] = next;
      next = child;
    }
    firstChild[parent] = next;
  }
}

/** The ranks of nodes by their `seq`, of which a page tells in pairs. */
export function ranksOf(pairs: readonly number[]): Map<number, number> {
  const ranks = new Map<number, number>();
  for (let at = 0; at < pairs.length; at += 2) ranks.set(pairs[at] ?? NONE, pairs[at + 1] ?? NONE);
  return ranks;
}

function allocate(capacity: number): Omit<NodeTable, 'count'> {
  const links = (): Int32Array => new Int32Array(capacity).fill(NONE);
  return {
    ...{ seq: new Float64Array(capacity), at: new Float64Array(capacity), parent: links() },
    ...{ kind: new Uint8Array(capacity), childCount: new Int32Array(capacity) },
    ...{ firstChild: links(), lastChild: links(), nextSibling: links() },
  };
}

function enlarge(table: NodeTable): void {
  const to = allocate(table.count * 2);
  to.seq.set(table.seq);
  to.at.set(table.at);
  to.parent.set(table.parent);
  to.kind.set(table.kind);
  to.childCount.set(table.childCount);
  to.firstChild.set(table.firstChild);
  to.lastChild.set(table.lastChild);
  to.nextSibling.set(table.nextSibling);
  Object.assign(table, to);
}
