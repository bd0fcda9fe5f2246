import { straightOn } from '../../../loom/tree.js';
import { NONE } from '../../web/page/core/node_table.js';
import type { TreeShape } from './tree_shape.js';

/** Which nodes are listed: all, messages of people and models, calls of tools, leaves, or marked nodes. */
export const FILTERS = ['all', 'messages', 'tools', 'leaves', 'marks'] as const;
export type Filter = (typeof FILTERS)[number];

export interface View {
  filter: Filter;
  /** The `seq` of marked nodes. */
  marked: ReadonlySet<number>;
  /** The first nodes of branches that are shown as one line. */
  folded: ReadonlySet<number>;
  /** The first nodes of the runs that stay in the first column. */
  trunk: ReadonlySet<number>;
}

/** The nodes that are listed, by index, from top to bottom: each branch follows the run that it forks from, the trunk last. */
export function rowsOf(shape: TreeShape, view: View): Int32Array {
  const rows = new Int32Array(shape.count());
  let length = 0;
  // Heads of branches that come later; the last one is next.
  const waiting: number[] = shape.count() === 0 ? [] : [0];
  for (let head = waiting.pop(); head !== undefined; head = waiting.pop()) {
    if (view.folded.has(head)) {
      rows[length] = head;
      length += 1;
      continue;
    }
    let end = head;
    for (const index of runFrom(shape, head)) {
      end = index;
      if (!isListed(shape, index, view)) continue;
      rows[length] = index;
      length += 1;
    }
    // Not spread: a fork may have more branches than a call takes arguments.
    for (const child of trunkLast(childrenOf(shape, end), view.trunk).reverse()) waiting.push(child);
  }
  return rows.subarray(0, length);
}

function trunkLast(children: number[], trunk: ReadonlySet<number>): number[] {
  const next = children.find((child) => trunk.has(child));
  return next === undefined ? children : [...children.filter((child) => child !== next), next];
}

/** An unbranched run, from its first node on. */
function* runFrom(shape: TreeShape, head: number): Generator<number> {
  yield head;
  for (let index = onlyChild(shape, head); index !== NONE; index = onlyChild(shape, index)) yield index;
}

/** Archived nodes have none: nothing below them is listed. */
function onlyChild(shape: TreeShape, index: number): number {
  return shape.childCount(index) === 1 && !shape.isArchived(index) ? shape.firstChild(index) : NONE;
}

/** The branches below a fork, oldest first; none below an archived node. */
function childrenOf(shape: TreeShape, index: number): number[] {
  const children: number[] = [];
  if (shape.childCount(index) < 2 || shape.isArchived(index)) return children;
  for (let child = shape.firstChild(index); child !== NONE; child = shape.nextSibling(child)) children.push(child);
  return children;
}

function isListed(shape: TreeShape, index: number, { filter, marked }: View): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'messages':
      return /[uabs]/.test(shape.kindOf(index));
    case 'tools':
      return /t/i.test(shape.kindOf(index));
    case 'leaves':
      return shape.childCount(index) === 0;
    case 'marks':
      return marked.has(shape.seqOf(index));
  }
}

/** The heads of the runs on the path to a node, the lowest first. */
export function headsOnPath(shape: TreeShape, index: number): Set<number> {
  const onPath = new Set<number>();
  for (let head = shape.headOf(index); head !== NONE; ) {
    onPath.add(head);
    const above = shape.parentOf(head);
    head = above === NONE ? NONE : shape.headOf(above);
  }
  return onPath;
}

/** The heads of the trunk, the lowest first: the path to a node, and what goes straight on below it. */
export function headsOfTrunk(shape: TreeShape, index: number): Set<number> {
  const below: number[] = [];
  const rule = { leads: () => false, weightOf: (head: number) => (shape.isArchived(head) ? 0 : shape.sizeOf(head)) };
  for (let next: number | undefined = index; next !== undefined && next !== NONE; ) {
    let end: number = next;
    for (const one of runFrom(shape, next)) end = one;
    next = straightOn(childrenOf(shape, end), rule);
    if (next !== undefined) below.unshift(next);
  }
  return new Set([...below, ...headsOnPath(shape, index)]);
}

/** The heads of all branches of more than one node, without those on the path to a node. */
export function branchesOffPath(shape: TreeShape, index: number): Set<number> {
  const onPath = headsOnPath(shape, index);
  const folded = new Set<number>();
  for (let one = 0; one < shape.count(); one += 1) {
    if (shape.headOf(one) === one && shape.sizeOf(one) > 1 && !onPath.has(one)) folded.add(one);
  }
  return folded;
}

/** The guides before a row: how many levels it is deep, and which of the innermost go on below, outermost first. */
export interface Branching {
  depth: number;
  bars: boolean[];
  /** Whether the row begins a branch, and whether that is the last one of its fork. */
  isHead: boolean;
  isLast: boolean;
}

/** The guides of a row, none in the trunk; only the innermost levels are computed. */
export function branchingOf(shape: TreeShape, index: number, { trunk, levelsMax }: BranchingOptions): Branching {
  const head = shape.headOf(index);
  const bars: boolean[] = [];
  let depth = 0;
  let isLast = true;
  for (let one = head; shape.parentOf(one) !== NONE && !trunk.has(one); one = shape.headOf(shape.parentOf(one))) {
    const goesOn = shape.nextSibling(one) !== NONE || leavesTrunk(shape, one, trunk);
    if (one === head) isLast = !goesOn;
    depth += 1;
    if (bars.length < levelsMax) bars.unshift(goesOn);
  }
  return { depth, bars, isHead: index === head && depth > 0, isLast };
}

export interface BranchingOptions extends Pick<View, 'trunk'> {
  /** The innermost levels that are computed. */
  levelsMax: number;
}

/** Whether the trunk goes on below a branch, at whose fork it is drawn last. */
function leavesTrunk(shape: TreeShape, head: number, trunk: ReadonlySet<number>): boolean {
  const above = shape.headOf(shape.parentOf(head));
  const [lowest] = trunk;
  return trunk.has(above) && above !== lowest;
}

/** The lowest common ancestor of two nodes, and the nodes from there down to each. */
export interface NodeComparison {
  ancestor: number;
  left: number[];
  right: number[];
}

export function compareNodes(shape: TreeShape, left: number, right: number): NodeComparison {
  const sides: Omit<NodeComparison, 'ancestor'> = { left: [], right: [] };
  let [one, other] = [left, right];
  while (one !== other) {
    // Parents stand before their children, so the later of the two is no ancestor of the other.
    if (one > other) {
      sides.left.push(one);
      one = shape.parentOf(one);
    } else {
      sides.right.push(other);
      other = shape.parentOf(other);
    }
  }
  return { ancestor: one, left: sides.left.reverse(), right: sides.right.reverse() };
}
