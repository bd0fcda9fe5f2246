import { NONE } from './node_table.js';
import { isTurn, type Runs } from './runs.js';
import type { Columns } from './tree_columns.js';

/** The nodes from the root to one. */
export function pathTo({ parent }: Columns, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at !== NONE; at = parent[at] ?? NONE) path.push(at);
  return path.reverse();
}

/** The end of the branch that goes straight on from a node. */
export function leafBelow({ runOf, trunk, tail }: Runs, node: number): number {
  let run = runOf[node] ?? NONE;
  if (run === NONE) return node;
  for (let below = trunk[run] ?? NONE; below !== NONE; below = trunk[run] ?? NONE) run = below;
  return tail[run] ?? node;
}

/** The lowest node above both, or one of them. */
export function ancestorOf({ parent }: Columns, one: number, other: number): number {
  const above = new Set<number>();
  for (let at = one; at !== NONE; at = parent[at] ?? NONE) above.add(at);
  for (let at = other; at !== NONE; at = parent[at] ?? NONE) if (above.has(at)) return at;
  return NONE;
}

/** The children of a node, at most so many. */
export function childrenOf(
  { firstChild, nextSibling }: Columns,
  node: number,
  max = Number.POSITIVE_INFINITY,
): number[] {
  const children: number[] = [];
  for (let at = firstChild[node] ?? NONE; at !== NONE && children.length < max; at = nextSibling[at] ?? NONE)
    children.push(at);
  return children;
}

/** Whether a node stands in a run or below it. */
export function isBelow({ runOf, up }: Runs, node: number, run: number): boolean {
  for (let at = runOf[node] ?? NONE; at >= run; at = up[at] ?? NONE) if (at === run) return true;
  return false;
}

/** The node of the row that an open run shows for one of its nodes. */
export function turnOf(columns: Columns, { runOf, head }: Runs, node: number): number {
  const start = head[runOf[node] ?? NONE] ?? node;
  let at = node;
  while (at !== start && !isTurn(columns, at)) at = columns.parent[at] ?? start;
  return at;
}
