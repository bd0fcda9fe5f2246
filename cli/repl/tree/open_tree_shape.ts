import type { NodeId } from '../../../hub/protocol/node.js';
import { NONE } from '../../web/page/core/node_table.js';
import { createTreeShape, type TreeShape } from '../navigator/tree_shape.js';
import type { Repl } from '../repl.js';
import { upwards } from './ancestors.js';

/** Reads the shape of the open tree: a few bytes per node, so a large tree is read whole. */
export async function readOpenTreeShape({ client, conversation }: Repl, archived: boolean): Promise<TreeShape> {
  const shape = createTreeShape();
  const tree = conversation().place.tree;
  let cursor: string | null = null;
  do {
    const from: { cursor?: string } = cursor === null ? {} : { cursor };
    const page = await client.call('loom.tree_get_shape', { tree, archived, ...from });
    shape.add(page);
    cursor = page.cursor;
  } while (cursor !== null);
  return shape;
}

/** The index of a node in the shape; for an archived node, that of its nearest ancestor that is not. */
export async function shownIndex(
  { client }: Repl,
  shape: TreeShape,
  node: NodeId,
): Promise<{ index: number; isItself: boolean }> {
  let isItself = true;
  for await (const { seq } of upwards(client, node)) {
    const index = shape.indexOf(seq);
    if (index !== NONE) return { index, isItself };
    isItself = false;
  }
  throw new RangeError(`${node} is in another tree`);
}

/** The children of a node, the oldest first. */
export function childrenOf(shape: TreeShape, index: number): number[] {
  const children: number[] = [];
  for (let child = shape.firstChild(index); child !== NONE; child = shape.nextSibling(child)) children.push(child);
  return children;
}

/** The indexes of a node and its ancestors. */
export function pathUp(shape: TreeShape, index: number): Set<number> {
  const path = new Set<number>();
  for (let one = index; one !== NONE; one = shape.parentOf(one)) path.add(one);
  return path;
}

/** The newest descendant of each node, itself included. Later nodes have greater indexes. */
export function newestBelow(shape: TreeShape): Int32Array {
  const newest = Int32Array.from({ length: shape.count() }, (_, index) => index);
  for (let index = newest.length - 1; index > 0; index -= 1) {
    const above = shape.parentOf(index);
    if (above !== NONE) newest[above] = Math.max(newest[above] ?? 0, newest[index] ?? 0);
  }
  return newest;
}
