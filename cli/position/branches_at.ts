import { forkPointOf, pathTo } from '../../loom/tree.js';
import type { Branch } from '../render/tree/branches.js';
import type { Outline } from '../render/tree/outline.js';

/** The branches below a position, else those at the nearest fork point above it; empty when there is none. */
export function branchesAt(outline: Outline, position: string): Branch[] {
  const start = outline.indexOf(position);
  if (start === undefined) return [];
  const fork = outline.childrenOf(start).length > 0 ? start : forkPointOf(outline, start);
  if (fork === undefined) return [];
  const below = subtrees(outline, fork);
  const onPath = new Set(pathTo(outline, start));
  return outline
    .childrenOf(fork)
    .map((child) => ({ ...branchOf(outline, child, below), current: onPath.has(child) }))
    .sort((a, b) => Number(b.current) - Number(a.current) || b.newestAtMs - a.newestAtMs);
}

interface Subtree {
  nodes: number;
  newestAtMs: number;
}

/** Sizes of the subtrees below a node, by index: children come after their parents, so one backward pass is enough. */
function subtrees(outline: Outline, top: number): Map<number, Subtree> {
  const sizes = new Map<number, Subtree>();
  for (let index = outline.nodes.length - 1; index > top; index -= 1) {
    const total = { nodes: 1, newestAtMs: outline.nodes[index]?.created_at_ms ?? 0 };
    for (const child of outline.childrenOf(index)) {
      const part = sizes.get(child);
      total.nodes += part?.nodes ?? 0;
      total.newestAtMs = Math.max(total.newestAtMs, part?.newestAtMs ?? 0);
    }
    sizes.set(index, total);
  }
  return sizes;
}

function branchOf(outline: Outline, child: number, sizes: Map<number, Subtree>): Omit<Branch, 'current'> {
  const first = outline.nodes[child];
  if (first === undefined) throw new RangeError(`no node ${child} in the outline`);
  const { nodes = 1, newestAtMs = first.created_at_ms } = sizes.get(child) ?? {};
  return { id: first.id, title: first, nodes, newestAtMs };
}
