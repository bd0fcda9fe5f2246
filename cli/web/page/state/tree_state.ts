import { computed, signal } from '@preact/signals';
import { NONE, numberAt } from '../core/node_table.js';
import { rowsOf } from '../core/outline_rows.js';
import { createTrunkMemory, runsOf } from '../core/runs.js';
import { createColumns, indexOf, LETTER } from '../core/tree_columns.js';
import { pathTo } from '../core/walk.js';
import type { LiveTurn, NodeCost, PageHit, RaceLane, Source } from '../source/source.js';

/** What the page shows: one tree, from one source. Nodes are named by their index in the columns. */
export const columns = createColumns();
/** Counts the changes of the columns, which are no signal themselves. */
export const version = signal(0);
export const source = signal<Source | null>(null);

/** Where the person stands in the tree, the end of the branch that is read, and the node that is looked at. */
export const here = signal(NONE);
export const leaf = signal(NONE);
export const focus = signal(NONE);

export const marks = signal<ReadonlyMap<number, readonly string[]>>(new Map());
/** By `seq`, as the source tells it. */
export const costs = signal<ReadonlyMap<number, NodeCost>>(new Map());
export const running = signal<readonly LiveTurn[]>([]);
/** The lanes of the newest race. */
export const lanes = signal<readonly RaceLane[]>([]);
export const hits = signal<readonly PageHit[] | null>(null);
export const away = signal<string | null>(null);

const memory = createTrunkMemory();
/** Lets the heaviest branches go straight on anew, where nodes have other numbers. */
export function forgetTrunk(): void {
  memory.chosen.clear();
  memory.known = 0;
}

export const runs = computed(() => {
  version.value;
  return runsOf(columns, here.value, memory);
});

/** The nodes of the branch that is read, from the root. */
export const path = computed(() => {
  version.value;
  return leaf.value === NONE ? [] : pathTo(columns, leaf.value);
});
export const onPath = computed(() => new Set(path.value));
export const runsOnPath = computed(() => {
  const { up, runOf } = runs.value;
  const on = new Set<number>();
  for (let run = runOf[leaf.value] ?? NONE; run !== NONE; run = up[run] ?? NONE) on.add(run);
  return on;
});

/** What a person folded and opened, by the first node of a run: runs are counted anew when the tree grows. */
export const folds = signal<ReadonlyMap<number, boolean>>(new Map());
export const allOpen = signal<boolean | null>(null);
const SMALL_RUNS = 400;
const SMALL_NODES = 4_000;

/** The rows of the outline. What is read is open by itself, and all of a small tree. */
export const rows = computed(() => {
  const all = runs.value;
  const isSmall = all.count <= SMALL_RUNS && columns.count < SMALL_NODES;
  const on = runsOnPath.value;
  return rowsOf(columns, all, (run) => {
    const chosen = folds.value.get(numberAt(all.head, run));
    return chosen ?? allOpen.value ?? (isSmall || on.has(run));
  });
});

/** The rows of the whole tree, with nothing folded. */
export const wholeRows = computed(() => rowsOf(columns, runs.value, () => true));

/** What each run cost, by itself and with all below it, and its failed calls. */
export const totals = computed(() => {
  const { count, runOf, up } = runs.value;
  const price = new Float64Array(count);
  const failures = new Int32Array(count);
  for (const [seq, cost] of costs.value) {
    const run = runOf[indexOf(columns, seq)];
    if (run !== undefined) price[run] = numberAt(price, run) + cost.price_microdollars;
  }
  for (let node = 0; node < runOf.length; node += 1) {
    const run = numberAt(runOf, node);
    if (columns.kind[node] === LETTER.failed) failures[run] = numberAt(failures, run) + 1;
  }
  const own = price.slice();
  for (let run = count - 1; run > 0; run -= 1) {
    const above = numberAt(up, run);
    if (above !== NONE) price[above] = numberAt(price, above) + numberAt(price, run);
  }
  return { price, own, failures };
});

/** The nodes at which turns run. */
export const runningAt = computed(() => {
  version.value;
  return new Map(running.value.map((turn) => [indexOf(columns, turn.tip), turn]));
});
