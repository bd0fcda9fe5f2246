import {
  appendNode,
  createNodeTable,
  eachNode,
  NONE,
  type NodeTable,
  numberAt,
  orderChildren,
  ranksOf,
  type ShapeNode,
  type ShapePage,
} from './node_table.js';

/** A tree in typed arrays, whose nodes may come in whatever order. */
export interface Columns extends NodeTable {
  bySeq: Map<number, number>;
  /** Nodes whose parent has not come yet, by the `seq` of the parent. */
  waiting: Map<number, ShapeNode[]>;
}

export const LETTER = { root: 114, user: 117, summary: 115, failed: 84, call: 116, silent: 65 } as const;

export function createColumns(): Columns {
  return { ...createNodeTable(), bySeq: new Map(), waiting: new Map() };
}

/** Adds a page of delta-coded nodes. */
export function addPage(columns: Columns, page: ShapePage): void {
  eachNode(page, (node) => addNode(columns, node));
  rankNodes(columns, ranksOf(page.ranks));
}

/** Puts siblings in another order than that of their `seq`. */
export function rankNodes(columns: Columns, ranks: ReadonlyMap<number, number>): void {
  const parents = new Set<number>();
  for (const seq of ranks.keys()) parents.add(numberAt(columns.parent, indexOf(columns, seq)));
  parents.delete(NONE);
  const seqOf = (child: number): number => numberAt(columns.seq, child);
  orderChildren(columns, parents, (child) => ranks.get(seqOf(child)) ?? seqOf(child));
}

/** Adds one node, once; one whose parent is missing waits for it. */
export function addNode(columns: Columns, node: ShapeNode): void {
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

function append(columns: Columns, node: ShapeNode, parent: number): void {
  columns.bySeq.set(node.seq, columns.count);
  appendNode(columns, node, parent);
}
