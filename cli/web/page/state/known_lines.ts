import { signal } from '@preact/signals';
import type { RowLine } from '../source/source.js';
import { columns, source } from './tree_state.js';

const PENDING_MAX = 300;
const KEPT_MAX = 5_000;
const lines = new Map<number, RowLine>();
const pending = new Set<number>();

/** Counts the arrivals of lines. */
export const linesVersion = signal(0);

/** The row of a node; null while it is not known. */
export function lineOf(node: number): RowLine | null {
  return lines.get(columns.seq[node] ?? 0) ?? null;
}

/** Asks for the rows of nodes that are not known. */
export function wantLines(nodes: readonly number[]): void {
  const from = source.peek();
  const missing = nodes.map((node) => columns.seq[node] ?? 0).filter((seq) => !lines.has(seq) && !pending.has(seq));
  const now = missing.slice(0, PENDING_MAX);
  if (from === null || now.length === 0) return;
  for (const seq of now) pending.add(seq);
  const end = (found: readonly RowLine[]): void => {
    for (const line of found) lines.set(line.seq, line);
    for (const seq of now) pending.delete(seq);
    forgetOldest();
    if (found.length > 0) linesVersion.value += 1;
  };
  // What could not be had is pending for again when it is shown again.
  from.lines(now).then(end, () => end([]));
}

function forgetOldest(): void {
  for (const seq of lines.keys()) {
    if (lines.size <= KEPT_MAX) return;
    lines.delete(seq);
  }
}
