import type { Node, Tree } from '../../../hub/protocol/node.js';

/** The start of a branch in an export of a whole tree. */
export interface ForkStart {
  /** The number of the branch within its fork, behind those above it, such as 2.1. */
  number: string;
  of: number;
  /** The node that it forks from. */
  from: string;
}

/** A document format, written piece by piece. Every text is made safe to print. */
export interface DocumentFormat {
  begin(tree: Tree): string;
  fork(start: ForkStart): string;
  node(node: Node): string;
  end(): string;
}
