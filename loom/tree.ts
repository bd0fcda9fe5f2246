/**
 * Trees as plain lists, apart from how they are stored and drawn. Nodes are known by their index in the list, and
 * parents stand before their children. Every function is a loop: a chain of a million nodes is as good as any other tree.
 */

/** What a tree is made of. */
export interface Item {
  id: string;
  parent: string | null;
}

/** A list of nodes, ready to be walked. */
export interface TreeIndex<T extends Item> {
  nodes: readonly T[];
  /** The children of the node at an index, as indexes, in the order of the list. */
  childrenOf(index: number): readonly number[];
  /** The index of a node, or of the one that a left out node stands for; undefined for any other id. */
  indexOf(id: string): number | undefined;
}

const NONE: readonly number[] = [];

/** Takes nodes, parents first. One that is left out gives its place to its parent, and its children with it. */
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

/** The nodes from which nothing grew, in the order of the list. */
export function leavesOf<T extends Item>(items: readonly T[]): T[] {
  const parents = new Set(items.map(({ parent }) => parent));
  return items.filter(({ id }) => !parents.has(id));
}

/** The nearest node above one that has more than one child; undefined when there is none. */
export function forkPointOf(shape: TreeIndex<Item>, index: number): number | undefined {
  let above = parentOf(shape, index);
  while (above !== undefined && shape.childrenOf(above).length < 2) above = parentOf(shape, above);
  return above;
}

/** The last node of a run that begins at an index: everything up to the next fork or end. */
export function runEnd(shape: TreeIndex<Item>, start: number): number {
  let end = start;
  for (;;) {
    const [only, other] = shape.childrenOf(end);
    if (only === undefined || other !== undefined) return end;
    end = only;
  }
}

/** The nodes from one down to another of the same run. */
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
