/**
 * Trees as plain lists, independent of storage and drawing. A node is its index in the list, and parents precede their
 * children. Every function is a loop, so that a chain of a million nodes works as any other tree.
 */

/** A node, as far as the shape of a tree needs it. */
export interface Item {
  id: string;
  parent: string | null;
}

/** A list of nodes with their children. */
export interface TreeIndex<T extends Item> {
  nodes: readonly T[];
  /** The indexes of a node's children, in the order of the list. */
  childrenOf(index: number): readonly number[];
  /** The index of a node, or of the nearest listed ancestor of one that was left out; undefined for any other id. */
  indexOf(id: string): number | undefined;
}

const NONE: readonly number[] = [];

/** Indexes nodes, parents first. The children of a node that is left out become those of its parent. */
export function treeIndex<T extends Item>(
  items: Iterable<T>,
  isLeftOut: (item: T) => boolean = () => false,
): TreeIndex<T> {
  const nodes: T[] = [];
  const children: (number[] | undefined)[] = [];
  const places = new Map<string, number>();
  for (const item of items) {
    const above = item.parent === null ? undefined : places.get(item.parent);
    if (above !== undefined && isLeftOut(item)) {
      places.set(item.id, above);
      continue;
    }
    const index = nodes.push(item) - 1;
    places.set(item.id, index);
    if (above === undefined) continue;
    const siblings = children[above];
    if (siblings === undefined) children[above] = [index];
    else siblings.push(index);
  }
  return { nodes, childrenOf: (index) => children[index] ?? NONE, indexOf: (id) => places.get(id) };
}

/** The nodes from the root down to one. */
export function pathTo(shape: TreeIndex<Item>, index: number): number[] {
  const path: number[] = [];
  for (let one: number | undefined = index; one !== undefined; one = parentOf(shape, one)) path.push(one);
  return path.reverse();
}

/** How many nodes two paths from the root have in common; the last of them is the lowest common ancestor. */
export function sharedLength(left: readonly { id: string }[], right: readonly { id: string }[]): number {
  let length = 0;
  while (length < left.length && left[length]?.id === right[length]?.id) length += 1;
  return length;
}

/** The nodes without children, in the order of the list. */
export function leavesOf<T extends Item>(items: readonly T[]): T[] {
  const parents = new Set(items.map(({ parent }) => parent));
  return items.filter(({ id }) => !parents.has(id));
}

/** The nearest fork point above a node; undefined when there is none. */
export function forkPointOf(shape: TreeIndex<Item>, index: number): number | undefined {
  let above = parentOf(shape, index);
  while (above !== undefined && shape.childrenOf(above).length < 2) above = parentOf(shape, above);
  return above;
}

/** The last node of the run that begins at an index: the next fork point or leaf. */
export function runEnd(shape: TreeIndex<Item>, start: number): number {
  let end = start;
  for (;;) {
    const [only, other] = shape.childrenOf(end);
    if (only === undefined || other !== undefined) return end;
    end = only;
  }
}

/** What decides between the branches of a fork. */
export interface TrunkRule {
  /** Whether a branch leads to where somebody stands. */
  leads(branch: number): boolean;
  /** The nodes of a branch, without answers that only call tools. */
  weightOf(branch: number): number;
}

/**
 * The trunk: the branch of a fork that goes straight on. It is the one to where somebody stands, elsewhere the heaviest, of
 * equal ones the first. Every drawing of a tree asks here. Undefined where there is no branch.
 */
export function straightOn(branches: Iterable<number>, { leads, weightOf }: TrunkRule): number | undefined {
  let best: number | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const branch of branches) {
    if (leads(branch)) return branch;
    const weight = weightOf(branch);
    if (weight <= most) continue;
    best = branch;
    most = weight;
  }
  return best;
}

/** The nodes below each node, itself included. */
export function weightsOf(shape: TreeIndex<Item>): Int32Array {
  const weights = new Int32Array(shape.nodes.length).fill(1);
  for (let index = weights.length - 1; index > 0; index -= 1) {
    const above = parentOf(shape, index);
    if (above !== undefined) weights[above] = (weights[above] ?? 0) + (weights[index] ?? 0);
  }
  return weights;
}

/** The nodes of a run from one down to another. */
export function* runOf(shape: TreeIndex<Item>, start: number, end: number): Generator<number> {
  for (let index: number | undefined = start; index !== undefined; ) {
    yield index;
    index = index === end ? undefined : shape.childrenOf(index)[0];
  }
}

function parentOf(shape: TreeIndex<Item>, index: number): number | undefined {
  const parent = shape.nodes[index]?.parent ?? null;
  return parent === null ? undefined : shape.indexOf(parent);
}
