import type { Node, Tree } from '../../../hub/protocol/node.js';

/** Where a branch of a whole tree begins. */
export interface ForkPlace {
  /** Which branches lead here, such as 2.1. */
  number: string;
  of: number;
  /** The node that it forks from. */
  from: string;
}

/** A way to write a conversation as a document, piece by piece. Every text is made safe to print. */
export interface DocumentFormat {
  begin(tree: Tree): string;
  fork(place: ForkPlace): string;
  node(node: Node): string;
  end(): string;
}
