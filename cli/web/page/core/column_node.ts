import { callEnd } from '../../../../hub/base/call_end.js';
import { textsOf } from '../../../../hub/base/node_blocks.js';
import type { Node } from '../../../../hub/protocol/node.js';
import type { ShapeNode } from './node_table.js';

/** A node as the columns take it. */
export function columnNode(node: Node, parent: number | null): ShapeNode {
  return { seq: node.seq, parent, kind: letterOf(node), at: Math.floor(node.created_at_ms / 1_000) };
}

function letterOf(node: Node): string {
  if (node.kind === 'external') return callEnd(node.external).failed ? 'T' : 't';
  const { role, step, blocks } = node;
  const onlyCalls =
    role === 'assistant' && step?.index === 0 && step.size > 1 && textsOf(blocks).join('').trim() === '';
  return onlyCalls ? 'A' : role.charAt(0);
}
