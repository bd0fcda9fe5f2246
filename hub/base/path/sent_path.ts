import type { Node } from '../../protocol/node.js';
import { blocksOfType } from '../node_blocks.js';

/**
 * The nodes of a path as a model is sent them: from the newest summary on, which stands for all before it but what it keeps. That
 * comes behind it, word for word. Of a path in this order the same comes out.
 */
export function sentPath(path: readonly Node[]): Node[] {
  const newest = path.findLastIndex(({ role }) => role === 'summary');
  const summary = path[newest];
  if (summary === undefined) return [...path];
  return [summary, ...keptAbove(path.slice(0, newest), summary), ...path.slice(newest + 1)];
}

/** The nodes above a summary that stay word for word: none beyond an earlier summary, and no part of a step. */
export function keptAbove(above: readonly Node[], summary: Node): readonly Node[] {
  const border = above.findLastIndex(({ role }) => role === 'summary' || role === 'root');
  let start = Math.max(border + 1, above.length - keptCount(summary));
  while ((above[start]?.step?.index ?? 0) > 0) start += 1;
  return above.slice(start);
}

/** How many nodes of a sent path the summary at its beginning keeps: they are older. */
export function keptIn([first, ...others]: readonly Node[]): number {
  return first?.role === 'summary' ? others.filter(({ seq }) => seq < first.seq).length : 0;
}

/** The depth from which on a path is sent, by its nodes from the root down: `depth` is that of those before. */
export function sentDepth(depth: number, node: Node): number {
  return node.role === 'summary' ? Math.max(depth, node.depth - keptCount(node)) : depth;
}

function keptCount({ role, blocks }: Node): number {
  return role === 'summary' ? (blocksOfType(blocks, 'kept')[0]?.nodes ?? 0) : 0;
}
