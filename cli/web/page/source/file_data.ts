import type { Node } from '../../../../hub/protocol/node.js';
import type { MarkPlace, NodeCost, TreeChoice } from './source.js';

/** A tree as it lies in a page that is a file. */
export interface FileData {
  tree: TreeChoice;
  /** Parents before their children, each by its `seq`. */
  nodes: readonly FileNode[];
  /** Where siblings do not stand by their `seq`, in pairs as `loom.tree_get_shape` tells them. */
  ranks: readonly number[];
  marks: readonly MarkPlace[];
  costs: readonly (NodeCost & { seq: number })[];
  here: number | null;
}

/** A node without what only its home needs. */
export interface FileNode {
  node: Node;
  /** The `seq` of its parent. */
  up: number | null;
  preview: string;
}
