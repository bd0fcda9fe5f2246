import type { SkeletonNode } from '../../../hub/protocol/node.js';
import { type TreeIndex, treeIndex } from '../../../loom/tree.js';

/** A tree ready to be drawn: what is not drawn is left out, and every node knows its children. */
export type Outline = TreeIndex<SkeletonNode>;

/** Takes the nodes of one tree, parents before their children. */
export function outlineOf(skeleton: Iterable<SkeletonNode>): Outline {
  return treeIndex(skeleton, isSilent);
}

/** An answer that only calls tools: its calls follow it in the same step, and they are what is drawn. */
function isSilent(node: SkeletonNode): boolean {
  return node.role === 'assistant' && node.preview === '' && node.step !== null && node.step.index === 0;
}
