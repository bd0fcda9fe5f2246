import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import {
  appendNode,
  createNodeTable,
  eachNode,
  NONE,
  type NodeTable,
  orderChildren,
  ranksOf,
  type ShapeNode,
} from '../../web/page/core/node_table.js';

/** A page of `loom.tree_get_shape` or `loom.tree_get_near`. */
export type TreePage = Omit<ResultOf<'loom.tree_get_shape'>, 'cursor'>;

/** A tree in numbers. Answers that only call tools are left out: their calls stand for them. */
export interface TreeShape {
  count(): number;
  /** Takes the next page. */
  add(page: TreePage): void;
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

export function createTreeShape(): TreeShape {
  const table = createNodeTable();
  let last = NONE;
  const standIns = new Map<number, number>();
  // What stands for a left out answer has its place among the siblings.
  const placedAs = new Map<number, number>();
  const archived = new Set<number>();
  // Left out answers at the top of archived branches: their children are archived instead.
  const silentTops = new Set<number>();
  let sums: { head: Int32Array; size: Int32Array; newest: Float64Array } | null = null;

  const indexOf = (seq: number): number => {
    return standIns.get(seq) ?? binarySearch(table, seq);
  };

  const take = (node: ShapeNode, isArchived: boolean): void => {
    last = node.seq;
    const above = node.parent === null ? NONE : indexOf(node.parent);
    const isTop = isArchived || (node.parent !== null && silentTops.has(node.parent));
    if (node.kind === SILENT && above !== NONE) {
      standIns.set(node.seq, above);
      if (isTop) silentTops.add(node.seq);
      return;
    }
    if (isTop) archived.add(table.count);
    if (node.parent !== null && standIns.has(node.parent)) placedAs.set(table.count, node.parent);
    appendNode(table, node, above);
  };

  /** Sums over the subtree of each node: children come after their parents, so that two walks are enough. */
  const summed = () => {
    sums ??= sum(table);
    return sums;
  };

  return {
    count: () => table.count,
    add(page) {
      sums = null;
      const tops = new Set(page.archived);
      eachNode(page, (node, index) => take(node, tops.has(index)));
      rankNodes(table, ranksOf(page.ranks), (index) => placedAs.get(index) ?? table.seq[index] ?? NONE);
    },
    seqOf: (index) => table.seq[index] ?? NONE,
    indexOf,
    parentOf: (index) => table.parent[index] ?? NONE,
    kindOf: (index) => String.fromCharCode(table.kind[index] ?? 0),
    atMs: (index) => (table.at[index] ?? 0) * 1_000,
    isArchived: (index) => archived.has(index),
    setArchived: (index, isArchived) => void (isArchived ? archived.add(index) : archived.delete(index)),
    lastSeq: () => last,
    firstChild: (index) => table.firstChild[index] ?? NONE,
    nextSibling: (index) => table.nextSibling[index] ?? NONE,
    childCount: (index) => table.childCount[index] ?? 0,
    headOf: (index) => summed().head[index] ?? NONE,
    sizeOf: (index) => summed().size[index] ?? 0,
    newestMs: (index) => (summed().newest[index] ?? 0) * 1_000,
  };
}

/** Puts siblings in the order of their ranks; `topOf` is the node of a branch by whose `seq` it is ranked. */
function rankNodes(table: NodeTable, ranks: ReadonlyMap<number, number>, topOf: (index: number) => number): void {
  if (ranks.size === 0) return;
  const parents = new Set<number>();
  for (let index = 0; index < table.count; index += 1) {
    const above = table.parent[index] ?? NONE;
    if (above !== NONE && ranks.has(topOf(index))) parents.add(above);
  }
  orderChildren(table, parents, (index) => ranks.get(topOf(index)) ?? topOf(index));
}

function sum({ count, parent, childCount, at }: NodeTable) {
  const head = new Int32Array(count);
  const size = new Int32Array(count).fill(1);
  const newest = at.slice(0, count);
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

/** The index of a `seq`: nodes come by ascending ones. */
function binarySearch({ seq: list, count }: NodeTable, wanted: number): number {
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
