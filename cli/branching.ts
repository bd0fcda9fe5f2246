import type { Branch } from './render/branches.js';
import type { Outline } from './render/outline.js';

/** The branches at a position if anything grew from it, else at the nearest fork above; none when there is neither. */
export function branchesAt(outline: Outline, position: string): Branch[] {
  const start = outline.indexOf(position);
  if (start === undefined) return [];
  const route = routeOf(outline, start);
  const fork =
    outline.childrenOf(start).length > 0 ? start : route.find((index) => outline.childrenOf(index).length > 1);
  if (fork === undefined) return [];
  const below = subtrees(outline, fork);
  const onRoute = new Set(route);
  return outline
    .childrenOf(fork)
    .map((child) => ({ branch: branchOf(outline, child, below), current: onRoute.has(child) }))
    .map(({ branch, current }) => ({ ...branch, current }))
    .sort((a, b) => Number(b.current) - Number(a.current) || b.newestAtMs - a.newestAtMs);
}

/** The nodes from one up to the root. */
function routeOf(outline: Outline, start: number): number[] {
  const route: number[] = [];
  for (let index: number | undefined = start; index !== undefined; ) {
    route.push(index);
    const parent: string | null | undefined = outline.nodes[index]?.parent;
    index = parent === null || parent === undefined ? undefined : outline.indexOf(parent);
  }
  return route;
}

interface Subtree {
  nodes: number;
  newestAtMs: number;
}

/** Sizes of all that grew from a node, by index: children come after their parents, so one walk backwards is enough. */
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
