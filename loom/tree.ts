/**
 * Trees as plain lists, apart from how they are stored. Every function is a loop: a chain of a million nodes is as
 * good as any other tree. Parents may stand anywhere in the list.
 */

/** What a tree is made of. */
export interface Item {
  id: string;
  parent: string | null;
}

/** A list of nodes, ready to be walked. Children keep the order of the list. */
export interface TreeShape<T extends Item> {
  nodes: ReadonlyMap<string, T>;
  children: ReadonlyMap<string, readonly T[]>;
  /** Nodes without a parent in the list: one, when the list is a whole tree. */
  roots: readonly T[];
}

export function shapeOf<T extends Item>(items: Iterable<T>): TreeShape<T> {
  const nodes = new Map<string, T>();
  for (const item of items) nodes.set(item.id, item);
  const children = new Map<string, T[]>();
  const roots: T[] = [];
  for (const item of nodes.values()) {
    if (item.parent === null || !nodes.has(item.parent)) roots.push(item);
    else {
      const siblings = children.get(item.parent);
      if (siblings === undefined) children.set(item.parent, [item]);
      else siblings.push(item);
    }
  }
  return { nodes, children, roots };
}

/** The nodes that grew directly from one. */
export function childrenOf<T extends Item>(shape: TreeShape<T>, id: string): readonly T[] {
  return shape.children.get(id) ?? [];
}

/** The nodes from the root down to one; empty when it is not in the tree. */
export function pathTo<T extends Item>(shape: TreeShape<T>, id: string): T[] {
  const path: T[] = [];
  for (let node = shape.nodes.get(id); node !== undefined; node = parentOf(shape, node)) path.push(node);
  return path.reverse();
}

/** The lowest node that stands on the paths to both; undefined when they have none in common. */
export function commonAncestor<T extends Item>(shape: TreeShape<T>, left: string, right: string): T | undefined {
  const rightPath = pathTo(shape, right);
  let common: T | undefined;
  for (const [depth, node] of pathTo(shape, left).entries()) {
    if (rightPath[depth] !== node) break;
    common = node;
  }
  return common;
}

/** The nodes from which nothing grew, in the order of the list. */
export function leavesOf<T extends Item>(shape: TreeShape<T>): T[] {
  return [...shape.nodes.values()].filter((node) => !shape.children.has(node.id));
}

/** The nearest node above one that has more than one child; the root when there is none. */
export function forkPointOf<T extends Item>(shape: TreeShape<T>, id: string): T | undefined {
  let node = shape.nodes.get(id);
  while (node !== undefined) {
    const above = parentOf(shape, node);
    if (above === undefined || childrenOf(shape, above.id).length > 1) return above ?? node;
    node = above;
  }
  return undefined;
}

/** Nodes that follow each other without a fork, and the runs that begin where it ends. */
export interface Run<T> {
  nodes: T[];
  branches: Run<T>[];
}

/** Folds what grew from a node, itself first, into unbranched runs; undefined when it is not in the tree. */
export function foldRuns<T extends Item>(shape: TreeShape<T>, id: string): Run<T> | undefined {
  const first = shape.nodes.get(id);
  if (first === undefined) return undefined;
  const top: Run<T> = { nodes: [first], branches: [] };
  const unfinished = [top];
  for (let run = unfinished.pop(); run !== undefined; run = unfinished.pop()) {
    for (const child of extend(shape, run)) {
      const branch: Run<T> = { nodes: [child], branches: [] };
      run.branches.push(branch);
      unfinished.push(branch);
    }
  }
  return top;
}

/** Lengthens a run as far as it does not fork; returns the children at its end. */
function extend<T extends Item>(shape: TreeShape<T>, run: Run<T>): readonly T[] {
  for (;;) {
    const children = childrenOf(shape, run.nodes.at(-1)?.id ?? '');
    const [only] = children;
    if (only === undefined || children.length > 1) return children;
    run.nodes.push(only);
  }
}

function parentOf<T extends Item>(shape: TreeShape<T>, node: T): T | undefined {
  return node.parent === null ? undefined : shape.nodes.get(node.parent);
}
