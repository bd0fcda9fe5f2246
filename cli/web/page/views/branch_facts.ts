import { NONE, numberAt } from '../core/node_table.js';
import { LETTER } from '../core/tree_columns.js';
import { pathTo } from '../core/walk.js';
import { inputField } from '../reading/said_text.js';
import { nodeOf } from '../state/known_nodes.js';
import { columns, costs } from '../state/tree_state.js';

/** One of two branches that are compared. */
export interface BranchFacts {
  turns: number;
  calls: number;
  failures: number;
  price: number;
  timeMs: number;
  /** The files that its calls wrote, and how often. */
  files: ReadonlyMap<string, number>;
}

/** The nodes of a branch below a node. */
export function branchBelow(ancestor: number, end: number): number[] {
  const path = pathTo(columns, end);
  return path.slice(path.indexOf(ancestor) + 1);
}

export function factsOfBranch(nodes: readonly number[]): BranchFacts {
  const files = new Map<string, number>();
  const facts = { turns: 0, calls: 0, failures: 0, price: 0 };
  for (const node of nodes) {
    const kind = columns.kind[node];
    facts.price += costs.value.get(columns.seq[node] ?? 0)?.price_microdollars ?? 0;
    if (kind === LETTER.user) facts.turns += 1;
    if (kind === LETTER.call || kind === LETTER.failed) facts.calls += 1;
    if (kind === LETTER.failed) facts.failures += 1;
    const file = writtenFile(node);
    if (file !== null) files.set(file, (files.get(file) ?? 0) + 1);
  }
  return { ...facts, timeMs: timeOf(nodes), files };
}

function timeOf(nodes: readonly number[]): number {
  const [first = NONE] = nodes;
  const last = nodes.at(-1) ?? NONE;
  return first === NONE ? 0 : (numberAt(columns.at, last) - numberAt(columns.at, first)) * 1_000;
}

function writtenFile(index: number): string | null {
  const node = nodeOf(index);
  if (node?.kind !== 'external') return null;
  const { tool, input } = node.external.call;
  return tool === 'edit' || tool === 'write' ? inputField(input, 'path') : null;
}
