import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';

/** The nodes of a page of `loom.tree_get_shape` or `loom.tree_get_near`. */
export type ShapePage = Omit<ResultOf<'loom.tree_get_shape'>, 'cursor'>;

/** The index of no node. */
export const NONE = -1;
const START_CAPACITY = 1_024;

/**
 * A tree in numbers: nodes are known by their index, parents stand before their children. A million nodes take some
 * 40 MB, where objects would take a gigabyte. Answers that only call tools are left out: their calls stand for them.
 */
export interface TreeShape {
  count(): number;
  /** Takes the next page. */
  add(page: ShapePage): void;
  /** The `seq` of a node, and the index of a `seq`: for a left out node that of its stand-in, `NONE` for an unknown one. */
  seqOf(index: number): number;
  indexOf(seq: number): number;
  parentOf(index: number): number;
  kindOf(index: number): string;
  atMs(index: number): number;
  isArchived(index: number): boolean;
  setArchived(index: number, isArchived: boolean): void;
  /** The greatest `seq` that was added, left out nodes included. */
  lastSeq(): number;
  firstChild(index: number): number;
  nextSibling(index: number): number;
  childCount(index: number): number;
  /** The first node of its unbranched run: one whose parent has other children, or the root. */
  headOf(index: number): number;
  /** How many nodes its subtree has, and when the newest of them was made. */
  sizeOf(index: number): number;
  newestMs(index: number): number;
}

const SILENT = 'A';

interface Columns {
  seq: Float64Array;
  atS: Float64Array;
  parent: Int32Array;
  kind: Uint8Array;
  firstChild: Int32Array;
  lastChild: Int32Array;
  nextSibling: Int32Array;
  childCount: Int32Array;
}

export function createTreeShape(): TreeShape {
  let columns = allocate(START_CAPACITY);
  let count = 0;
  let last = NONE;
  const standIns = new Map<number, number>();
  const archived = new Set<number>();
  // Left out answers at the top of archived branches: their children are archived instead.
  const silentTops = new Set<number>();
  let sums: { head: Int32Array; size: Int32Array; newest: Float64Array } | null = null;

  const indexOf = (seq: number): number => {
    return standIns.get(seq) ?? binarySearch(columns.seq, count, seq);
  };

  const append = (node: { seq: number; parent: number; kind: string; atS: number }): void => {
    if (count === columns.seq.length) columns = enlarged(columns, count);
    const index = count;
    count += 1;
    columns.seq[index] = node.seq;
    columns.atS[index] = node.atS;
    columns.kind[index] = node.kind.charCodeAt(0);
    columns.parent[index] = node.parent;
    if (node.parent !== NONE) link(columns, node.parent, index);
  };

  const take = (node: PageNode): void => {
    last = node.seq;
    const above = node.parent === null ? NONE : indexOf(node.parent);
    const isTop = node.archived || (node.parent !== null && silentTops.has(node.parent));
    if (node.kind === SILENT && above !== NONE) {
      standIns.set(node.seq, above);
      if (isTop) silentTops.add(node.seq);
      return;
    }
    if (isTop) archived.add(count);
    append({ ...node, parent: above });
  };

  /** Sums over the subtree of each node: children come after their parents, so that two walks are enough. */
  const summed = () => {
    sums ??= sum(columns, count);
    return sums;
  };

  return {
    count: () => count,
    add(page) {
      sums = null;
      eachNode(page, take);
    },
    seqOf: (index) => columns.seq[index] ?? NONE,
    indexOf,
    parentOf: (index) => columns.parent[index] ?? NONE,
    kindOf: (index) => String.fromCharCode(columns.kind[index] ?? 0),
    atMs: (index) => (columns.atS[index] ?? 0) * 1_000,
    isArchived: (index) => archived.has(index),
    setArchived: (index, isArchived) => void (isArchived ? archived.add(index) : archived.delete(index)),
    lastSeq: () => last,
    firstChild: (index) => columns.firstChild[index] ?? NONE,
    nextSibling: (index) => columns.nextSibling[index] ?? NONE,
    childCount: (index) => columns.childCount[index] ?? 0,
    headOf: (index) => summed().head[index] ?? NONE,
    sizeOf: (index) => summed().size[index] ?? 0,
    newestMs: (index) => (summed().newest[index] ?? 0) * 1_000,
  };
}

interface PageNode {
  seq: number;
  /** The `seq` of its parent; null for the root. */
  parent: number | null;
  kind: string;
  atS: number;
  archived: boolean;
}

/** Decodes the nodes of a page, in their order. */
function eachNode({ seq, parent, kind, at, archived }: ShapePage, take: (node: PageNode) => void): void {
  const tops = new Set(archived);
  let number = 0;
  let atS = 0;
  for (let index = 0; index < kind.length; index += 1) {
    number += seq[index] ?? 0;
    atS += at[index] ?? 0;
    const distance = parent[index] ?? 0;
    const above = distance === 0 ? null : number - distance;
    take({ seq: number, parent: above, kind: kind[index] ?? '', atS, archived: tops.has(index) });
  }
}

function allocate(capacity: number): Columns {
  const links = (): Int32Array => new Int32Array(capacity).fill(NONE);
  return {
    ...{ seq: new Float64Array(capacity), atS: new Float64Array(capacity), parent: links() },
    ...{ kind: new Uint8Array(capacity), childCount: new Int32Array(capacity) },
    ...{ firstChild: links(), lastChild: links(), nextSibling: links() },
  };
}

function enlarged(from: Columns, count: number): Columns {
  const to = allocate(count * 2);
  to.seq.set(from.seq);
  to.atS.set(from.atS);
  to.parent.set(from.parent);
  to.kind.set(from.kind);
  to.firstChild.set(from.firstChild);
  to.lastChild.set(from.lastChild);
  to.nextSibling.set(from.nextSibling);
  to.childCount.set(from.childCount);
  return to;
}

function link({ firstChild, lastChild, nextSibling, childCount }: Columns, parent: number, child: number): void {
  const before = lastChild[parent] ?? NONE;
  if (before === NONE) firstChild[parent] = child;
  else nextSibling[before] = child;
  lastChild[parent] = child;
  childCount[parent] = (childCount[parent] ?? 0) + 1;
}

function sum({ parent, childCount, atS }: Columns, count: number) {
  const head = new Int32Array(count);
  const size = new Int32Array(count).fill(1);
  const newest = atS.slice(0, count);
  for (let index = 0; index < count; index += 1) {
    const above = parent[index] ?? NONE;
    head[index] = above === NONE || (childCount[above] ?? 0) > 1 ? index : (head[above] ?? index);
  }
  for (let index = count - 1; index > 0; index -= 1) {
    const above = parent[index] ?? NONE;
    if (above === NONE) continue;
    size[above] = (size[above] ?? 0) + (size[index] ?? 0);
    newest[above] = Math.max(newest[above] ?? 0, newest[index] ?? 0);
  }
  return { head, size, newest };
}

/** The index of a number in an ascending list. */
function binarySearch(list: Float64Array, count: number, wanted: number): number {
  let low = 0;
  let high = count - 1;
  // Most parents are the node before.
  if (list[high] === wanted) return high;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const seq = list[middle] ?? NONE;
    if (seq === wanted) return middle;
    if (seq < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return NONE;
}
