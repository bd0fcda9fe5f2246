/** The index of no node. */
export const NONE = -1;
const START_CAPACITY = 1_024;

/** A node as a tree of columns takes it. */
export interface ColumnNode {
  seq: number;
  /** The `seq` of its parent; null for the root. */
  parent: number | null;
  /** The letter of `loom.tree_get_shape`: r, u, a, A, b, s, t, or T for a call that failed. */
  kind: string;
  /** Seconds since 1970. */
  at: number;
}

/** Delta-coded nodes, as `loom.tree_get_shape` sends them. */
export interface ColumnPage {
  seq: readonly number[];
  parent: readonly number[];
  kind: string;
  at: readonly number[];
}

/**
 * A tree in typed arrays. Nodes are known by their index; parents stand before their children, and children of one node
 * are linked by ascending `seq`, in whatever order they came.
 */
export interface Columns {
  count: number;
  seq: Float64Array;
  at: Float64Array;
  parent: Int32Array;
  kind: Uint8Array;
  firstChild: Int32Array;
  lastChild: Int32Array;
  nextSibling: Int32Array;
  childCount: Int32Array;
  bySeq: Map<number, number>;
  /** Nodes whose parent has not come yet, by the `seq` of the parent. */
  waiting: Map<number, ColumnNode[]>;
}

export const LETTER = { root: 114, user: 117, summary: 115, failed: 84, call: 116 } as const;

export function createColumns(): Columns {
  return { count: 0, ...allocate(START_CAPACITY), bySeq: new Map(), waiting: new Map() };
}

/** The number at an index that exists. */
export function numberAt(list: Int32Array | Float64Array, index: number): number {
  return list[index] ?? NONE;
}

export function addTo(list: Int32Array | Float64Array, index: number, by: number): void {
  list[index] = (list[index] ?? 0) + by;
}

/** Adds a page of delta-coded nodes. */
export function addPage(columns: Columns, { seq, parent, kind, at }: ColumnPage): void {
  let number = 0;
  let seconds = 0;
  for (let index = 0; index < kind.length; index += 1) {
    number += seq[index] ?? 0;
    seconds += at[index] ?? 0;
    const distance = parent[index] ?? 0;
    const above = distance === 0 ? null : number - distance;
    addNode(columns, { seq: number, parent: above, kind: kind.charAt(index), at: seconds });
  }
}

/** Adds one node, once; one whose parent is missing waits for it. */
export function addNode(columns: Columns, node: ColumnNode): void {
  if (columns.bySeq.has(node.seq)) return;
  const parent = node.parent === null ? NONE : indexOf(columns, node.parent);
  if (node.parent !== null && parent === NONE) {
    const others = columns.waiting.get(node.parent) ?? [];
    if (others.every(({ seq }) => seq !== node.seq)) columns.waiting.set(node.parent, [...others, node]);
    return;
  }
  append(columns, node, parent);
  takeWaiting(columns, node.seq);
}

/** The index of a node by its `seq`; `NONE` for an unknown one. */
export function indexOf(columns: Columns, seq: number): number {
  return columns.bySeq.get(seq) ?? NONE;
}

/** Adds what waited for a node, and what waited for that: without recursion, since a tree may be a chain. */
function takeWaiting(columns: Columns, seq: number): void {
  const come = [seq];
  for (let one = come.pop(); one !== undefined; one = come.pop()) {
    const nodes = columns.waiting.get(one) ?? [];
    columns.waiting.delete(one);
    const parent = indexOf(columns, one);
    for (const node of nodes) {
      append(columns, node, parent);
      come.push(node.seq);
    }
  }
}

function append(columns: Columns, node: ColumnNode, parent: number): void {
  if (columns.count === columns.seq.length) enlarge(columns);
  const index = columns.count;
  columns.count += 1;
  columns.seq[index] = node.seq;
  columns.at[index] = node.at;
  columns.parent[index] = parent;
  columns.kind[index] = node.kind.charCodeAt(0);
  columns.bySeq.set(node.seq, index);
  if (parent !== NONE) link(columns, parent, index);
}

function link(columns: Columns, parent: number, child: number): void {
  const { firstChild, lastChild, nextSibling, childCount } = columns;
  addTo(childCount, parent, 1);
  const before = siblingBefore(columns, parent, child);
  const after = before === NONE ? firstChild[parent] : nextSibling[before];
  if (before === NONE) firstChild[parent] = child;
  else nextSibling[before] = child;
  nextSibling[child] = after ?? NONE;
  if (after === NONE) lastChild[parent] = child;
}

/** The child after which a new one stands. Nearly always that is the last; otherwise it is looked for from the start. */
function siblingBefore({ seq, firstChild, lastChild, nextSibling }: Columns, parent: number, child: number): number {
  const own = seq[child] ?? 0;
  const last = lastChild[parent] ?? NONE;
  if (last === NONE || (seq[last] ?? 0) < own) return last;
  let before = NONE;
  for (let at = firstChild[parent] ?? NONE; (seq[at] ?? own) < own; at = nextSibling[at] ?? NONE) before = at;
  return before;
}

function allocate(capacity: number) {
  const links = (): Int32Array => new Int32Array(capacity).fill(NONE);
  return {
    ...{ seq: new Float64Array(capacity), at: new Float64Array(capacity), parent: links() },
    ...{ kind: new Uint8Array(capacity), childCount: new Int32Array(capacity) },
    ...{ firstChild: links(), lastChild: links(), nextSibling: links() },
  };
}

function enlarge(columns: Columns): void {
  const to = allocate(columns.count * 2);
  to.seq.set(columns.seq);
  to.at.set(columns.at);
  to.parent.set(columns.parent);
  to.kind.set(columns.kind);
  to.childCount.set(columns.childCount);
  to.firstChild.set(columns.firstChild);
  to.lastChild.set(columns.lastChild);
  to.nextSibling.set(columns.nextSibling);
  Object.assign(columns, to);
}
