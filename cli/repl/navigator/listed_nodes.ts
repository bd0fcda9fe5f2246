import { NONE, type TreeShape } from './tree_shape.js';

/** Which nodes are listed: all, what people and models said, what tools did, or where branches end; marked ones. */
export const FILTERS = ['all', 'messages', 'tools', 'leaves', 'marks'] as const;
export type Filter = (typeof FILTERS)[number];

export interface View {
  filter: Filter;
  /** The numbers of marked nodes. */
  marked: ReadonlySet<number>;
  /** The first nodes of branches that are shown as one line. */
  folded: ReadonlySet<number>;
}

/** The nodes that are listed, by index, from top to bottom: each branch follows the run that it forks from. */
export function rowsOf(grown: TreeShape, view: View): Int32Array {
  const rows = new Int32Array(grown.count());
  let length = 0;
  // Branches that wait for those before them; the last is the next.
  const waiting: number[] = grown.count() === 0 ? [] : [0];
  for (let head = waiting.pop(); head !== undefined; head = waiting.pop()) {
    if (view.folded.has(head)) {
      rows[length] = head;
      length += 1;
      continue;
    }
    let end = head;
    for (const index of runFrom(grown, head)) {
      end = index;
      if (!isListed(grown, index, view)) continue;
      rows[length] = index;
      length += 1;
    }
    // Not spread: a fork may have more branches than a call takes arguments.
    for (const child of childrenOf(grown, end).reverse()) waiting.push(child);
  }
  return rows.subarray(0, length);
}

/** An unbranched run, from its first node on. */
function* runFrom(grown: TreeShape, head: number): Generator<number> {
  yield head;
  for (let index = onlyChild(grown, head); index !== NONE; index = onlyChild(grown, index)) yield index;
}

/** None of an archived node: what grew from that is not listed. */
function onlyChild(grown: TreeShape, index: number): number {
  return grown.childCount(index) === 1 && !grown.isArchived(index) ? grown.firstChild(index) : NONE;
}

/** The children of a node, oldest first; those of an unbranched one are part of its run, those of an archived one not listed. */
function childrenOf(grown: TreeShape, index: number): number[] {
  const children: number[] = [];
  if (grown.childCount(index) < 2 || grown.isArchived(index)) return children;
  for (let child = grown.firstChild(index); child !== NONE; child = grown.nextSibling(child)) children.push(child);
  return children;
}

function isListed(grown: TreeShape, index: number, { filter, marked }: View): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'messages':
      return /[uabs]/.test(grown.kindOf(index));
    case 'tools':
      return /t/i.test(grown.kindOf(index));
    case 'leaves':
      return grown.childCount(index) === 0;
    case 'marks':
      return marked.has(grown.seqOf(index));
  }
}

/** The first nodes of all branches of several nodes but those that lead to a node, and of those below it. */
export function branchesOffPath(grown: TreeShape, index: number): Set<number> {
  const onPath = new Set<number>();
  for (let head = grown.headOf(index); head !== NONE; ) {
    onPath.add(head);
    const above = grown.parentOf(head);
    head = above === NONE ? NONE : grown.headOf(above);
  }
  const folded = new Set<number>();
  for (let one = 0; one < grown.count(); one += 1) {
    if (grown.headOf(one) === one && grown.sizeOf(one) > 1 && !onPath.has(one)) folded.add(one);
  }
  return folded;
}

/** A branch sign before a row: how many levels it stands in, and of the innermost which go on below, outermost first. */
export interface Branching {
  depth: number;
  bars: boolean[];
  /** Whether the row begins a branch, and whether that is the last one of its fork. */
  isHead: boolean;
  isLast: boolean;
}

/** Where a row stands among the branches; only the innermost levels are looked at. */
export function branchingOf(grown: TreeShape, index: number, levelsMax: number): Branching {
  const head = grown.headOf(index);
  const bars: boolean[] = [];
  let depth = 0;
  let isLast = true;
  for (let one = head; one !== NONE && grown.parentOf(one) !== NONE; one = grown.headOf(grown.parentOf(one))) {
    const goesOn = grown.nextSibling(one) !== NONE;
    if (one === head) isLast = !goesOn;
    depth += 1;
    if (bars.length < levelsMax) bars.unshift(goesOn);
  }
  return { depth, bars, isHead: index === head && depth > 0, isLast };
}

/** Two ways down from where they part: the nodes below the lowest common ancestor, to each of two nodes. */
export interface Apart {
  ancestor: number;
  left: number[];
  right: number[];
}

export function apart(grown: TreeShape, left: number, right: number): Apart {
  const sides: Omit<Apart, 'ancestor'> = { left: [], right: [] };
  let [one, other] = [left, right];
  while (one !== other) {
    // Parents stand before their children, so the later of the two is no ancestor of the other.
    if (one > other) {
      sides.left.push(one);
      one = grown.parentOf(one);
    } else {
      sides.right.push(other);
      other = grown.parentOf(other);
    }
  }
  return { ancestor: one, left: sides.left.reverse(), right: sides.right.reverse() };
}
