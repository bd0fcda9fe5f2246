import type { Look } from '../look/look.js';
import { exitTail, inkOf, labelOf } from '../node/node_label.js';
import type { Titled } from '../node/node_text.js';
import { count, shortId } from '../text/ids_and_counts.js';

export interface ComparedNode extends Titled {
  id: string;
}

export interface Comparison {
  ancestor: ComparedNode;
  a: { id: string; alone: readonly ComparedNode[] };
  b: { id: string; alone: readonly ComparedNode[] };
}

/** Tells what two branches share and what each has alone. */
export function renderComparison({ ancestor, a, b }: Comparison, look: Look): string {
  const lines = [`Common ancestor: ${nodeLine(ancestor, 'Common ancestor: '.length, look)}`];
  for (const side of [a, b]) {
    lines.push('', look.style.strong(`Only in ${shortId(side.id)}: ${count(side.alone.length, 'node')}`));
    for (const node of side.alone) lines.push(`  ${nodeLine(node, 2, look)}`);
  }
  return `${lines.join('\n')}\n`;
}

function nodeLine(node: ComparedNode, indent: number, look: Look): string {
  const tail = exitTail(node);
  const label = labelOf(node, look.width - indent - shortId(node.id).length - 1 - tail.length, look);
  return `${look.style.quiet(shortId(node.id))} ${inkOf(node.role, look)(label)}${look.style.quiet(tail)}`;
}
