import type { Node } from '../../../../hub/protocol/node.js';

/** A call with its result. */
export type CallNode = Extract<Node, { kind: 'external' }>;
