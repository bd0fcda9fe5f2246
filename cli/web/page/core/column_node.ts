import { callEnd } from '../../../../hub/base/call_end.js';
import type { Node } from '../../../../hub/protocol/node.js';
import type { ColumnNode } from './tree_columns.js';

/** A node as the columns take it. */
export function columnNode(node: Node, parent: number | null): ColumnNode {
  const failed = node.kind === 'external' && callEnd(node.external).failed;
  const kind = failed ? 'T' : node.role.charAt(0);
  return { seq: node.seq, parent, kind, at: Math.floor(node.created_at_ms / 1_000) };
}
