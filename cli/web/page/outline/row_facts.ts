import { NONE, numberAt } from '../core/node_table.js';
import { ROW } from '../core/outline_rows.js';
import { isTurn } from '../core/runs.js';
import { indexOf, LETTER } from '../core/tree_columns.js';
import { isBelow } from '../core/walk.js';
import type { LiveTurn } from '../source/source.js';
import { columns, costs, here, hits, marks, rows, runningAt, runs, totals } from '../state/tree_state.js';

/** What belongs to a row: its turn down to the next one, or of a folded one everything below. */
export interface RowFacts {
  nodes: number;
  price: number;
  failures: number;
  marks: readonly string[];
  live: LiveTurn | null;
  isHere: boolean;
  found: number;
}

const STEPS_MAX = 400;

export function factsOf(row: number): RowFacts {
  const flags = rows.value.flags[row] ?? 0;
  return flags & ROW.folded ? factsBelow(numberAt(rows.value.run, row)) : factsOfTurn(numberAt(rows.value.node, row));
}

function factsBelow(run: number): RowFacts {
  const all = runs.value;
  const isIn = (node: number): boolean => node !== NONE && isBelow(all, node, run);
  const isSeqIn = (seq: number): boolean => isIn(indexOf(columns, seq));
  return {
    nodes: numberAt(all.weight, run),
    price: numberAt(totals.value.price, run),
    failures: 0,
    marks: [...marks.value].flatMap(([seq, names]) => (isSeqIn(seq) ? names : [])),
    live: [...runningAt.value].find(([node]) => isIn(node))?.[1] ?? null,
    isHere: isIn(here.value),
    found: (hits.value ?? []).filter(({ seq }) => isSeqIn(seq)).length,
  };
}

function factsOfTurn(turn: number): RowFacts {
  const found = foundNodes();
  const facts: RowFacts = { nodes: 0, price: 0, failures: 0, marks: [], live: null, isHere: false, found: 0 };
  const names: string[] = [];
  for (let node = turn; node !== NONE && facts.nodes < STEPS_MAX; node = nextOf(node)) {
    const seq = columns.seq[node] ?? 0;
    facts.nodes += 1;
    facts.price += costs.value.get(seq)?.price_microdollars ?? 0;
    facts.failures += columns.kind[node] === LETTER.failed ? 1 : 0;
    facts.live ??= runningAt.value.get(node) ?? null;
    facts.isHere ||= node === here.value;
    facts.found += found.has(node) ? 1 : 0;
    names.push(...(marks.value.get(seq) ?? []));
  }
  return { ...facts, marks: names };
}

/** The next node of the same turn. */
function nextOf(node: number): number {
  if (numberAt(columns.childCount, node) !== 1) return NONE;
  const next = numberAt(columns.firstChild, node);
  return isTurn(columns, next) ? NONE : next;
}

function foundNodes(): ReadonlySet<number> {
  return new Set((hits.value ?? []).map(({ seq }) => indexOf(columns, seq)));
}
