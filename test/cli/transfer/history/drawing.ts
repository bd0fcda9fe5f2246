import { treeOfHistory } from '../../../../cli/transfer/history/history_records.js';
import type { PortableNode } from '../../../../hub/protocol/node.js';
import type { History } from '../../../../tools/agents/history/history.js';

/** The trees that histories come to, as pictures: what has several nodes below it has them one step deeper. */
export function drawn(source: string, histories: readonly History[]): string[] {
  const nodes = new Map<string, PortableNode>();
  for (const history of histories) {
    const made = treeOfHistory(history, { source, owner: null, project: null });
    for (const record of made?.records ?? []) if (record.kind === 'node') nodes.set(record.node.id, record.node);
  }
  const draw = (parent: string | null, indent: string): string[] => {
    const below = [...nodes.values()].filter((node) => node.parent === parent);
    const deeper = below.length > 1 && parent !== null ? `${indent}  ` : indent;
    return below.flatMap((node) => [`${deeper}${lineOf(node)}`, ...draw(node.id, deeper)]);
  };
  return draw(null, '');
}

function lineOf(node: PortableNode): string {
  const words = node.blocks.map((block) => {
    if (block.type === 'text') return block.text.replace(/\s+/g, ' ').slice(0, 32).trim();
    return block.type === 'call' ? `<${block.tool}>` : `(${block.type})`;
  });
  const code = node.kind === 'external' ? [`[${node.external.exit_code}]`] : [];
  return [`${node.role}:`, ...words, ...code].join(' ');
}
