import { signal } from '@preact/signals';
import type { Node } from '../../../../hub/protocol/node.js';
import { columns, source } from './tree_state.js';

const KEPT_MAX = 4_000;
const nodes = new Map<number, Node>();

/** Counts the arrivals of nodes. */
export const nodesVersion = signal(0);

/** A node with all that it says; null while it is not known. */
export function nodeOf(index: number): Node | null {
  return nodes.get(columns.seq[index] ?? 0) ?? null;
}

export function keepNodes(found: readonly Node[]): void {
  for (const node of found) {
    nodes.delete(node.seq);
    nodes.set(node.seq, node);
  }
  for (const seq of nodes.keys()) {
    if (nodes.size <= KEPT_MAX) break;
    nodes.delete(seq);
  }
  if (found.length > 0) nodesVersion.value += 1;
}

/** Asks for what is missing in a part of a path: `path[start]` and those after it. */
export async function wantNodes(path: readonly number[], start: number, end: number): Promise<void> {
  const from = source.peek();
  const isMissing = (index: number): boolean => nodeOf(index) === null;
  const part = path.slice(start, end);
  const first = part.findIndex(isMissing);
  if (from === null || first === -1) return;
  const missing = part.slice(first, part.findLastIndex(isMissing) + 1);
  keepNodes(await from.nodes({ seqs: missing.map((index) => columns.seq[index] ?? 0), depth: start + first }));
}
