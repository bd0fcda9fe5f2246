import type { SkeletonNode } from '../../../hub/protocol/node.js';
import { shapeOf, type TreeShape } from '../../../loom/tree.js';

/** A tree ready to be drawn: what is not drawn is left out, and every node knows its children. */
export type Outline = TreeShape<SkeletonNode>;

/** Takes the nodes of one tree, parents before their children. */
export function outlineOf(skeleton: Iterable<SkeletonNode>): Outline {
  return shapeOf(skeleton, isSilent);
}

/** An answer that only calls tools: its calls follow it in the same step, and they are what is drawn. */
function isSilent(node: SkeletonNode): boolean {
  return node.role === 'assistant' && node.preview === '' && node.step !== null && node.step.index === 0;
}
