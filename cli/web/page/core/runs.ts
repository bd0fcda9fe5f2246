import { straightOn } from '../../../../loom/tree.js';
import { addTo, NONE, numberAt } from './node_table.js';
import { type Columns, LETTER } from './tree_columns.js';

/**
 * The unbranched runs of a tree, in columns: from a root or a child of a fork down to the next fork or leaf. Runs above
 * stand before those below.
 */
export interface Runs {
  count: number;
  /** The first and the last node of each run, its nodes, and those of them that get a row. */
  head: Int32Array;
  tail: Int32Array;
  length: Int32Array;
  turns: Int32Array;
  /** The run above, and the runs below by ascending `seq`. */
  up: Int32Array;
  first: Int32Array;
  next: Int32Array;
  /** All nodes and leaves of the run and below it, and the newest time there. */
  weight: Int32Array;
  leaves: Int32Array;
  newest: Float64Array;
  /** All nodes as `weight` counts them, but for answers that only call tools: terminals do not draw them. */
  drawn: Int32Array;
  /** The run below that goes straight on, and by how many forks a run stands aside of that. */
  trunk: Int32Array;
  indent: Int32Array;
  /** The run of each node. */
  runOf: Int32Array;
}

/**
 * Which branch went straight on below each fork, by nodes. The heaviest may change with every message, so a page that is
 * open keeps what it has shown.
 */
export interface TrunkMemory {
  chosen: Map<number, number>;
  /** How many nodes were known when it was last pending. */
  known: number;
}

export function createTrunkMemory(): TrunkMemory {
  return { chosen: new Map(), known: 0 };
}

/** Whether a node gets a row of its own: what a person said, and summaries. */
export function isTurn({ kind }: Columns, node: number): boolean {
  return kind[node] === LETTER.user || kind[node] === LETTER.summary;
}

/** Computes the runs of a tree, for who stands at `here`. */
export function runsOf(columns: Columns, here: number, memory: TrunkMemory): Runs {
  const runs = splitRuns(columns);
  linkRuns(columns, runs);
  sumRuns(columns, runs);
  chooseTrunk(runs, { here, memory });
  memory.known = columns.count;
  return runs;
}

function splitRuns(columns: Columns): Runs {
  const { count: nodes, parent } = columns;
  const runOf = new Int32Array(nodes);
  let count = 0;
  for (let node = 0; node < nodes; node += 1) if (isHead(columns, node)) count += 1;
  const runs = emptyRuns(count, runOf);
  let last = NONE;
  for (let node = 0; node < nodes; node += 1) {
    const begins = isHead(columns, node);
    // The parent of the root is no node, and in no run.
    const above = runOf[numberAt(parent, node)] ?? NONE;
    if (begins) {
      last += 1;
      runs.head[last] = node;
      runs.up[last] = above;
    }
    const run = begins ? last : above;
    runs.tail[run] = node;
    runOf[node] = run;
    addTo(runs.length, run, 1);
    addTo(runs.drawn, run, columns.kind[node] === LETTER.silent ? 0 : 1);
    addTo(runs.turns, run, begins || isTurn(columns, node) ? 1 : 0);
  }
  return runs;
}

function isHead({ parent, childCount }: Columns, node: number): boolean {
  const above = numberAt(parent, node);
  return above === NONE || numberAt(childCount, above) > 1;
}

function emptyRuns(count: number, runOf: Int32Array): Runs {
  const links = (): Int32Array => new Int32Array(count).fill(NONE);
  const sums = (): Int32Array => new Int32Array(count);
  return {
    ...{ count, runOf, head: links(), tail: links(), length: sums(), turns: sums() },
    ...{ up: links(), first: links(), next: links(), trunk: links(), indent: sums() },
    ...{ weight: sums(), leaves: sums(), newest: new Float64Array(count), drawn: sums() },
  };
}

/** Links the runs below a run in the order of their first nodes. */
function linkRuns({ firstChild, nextSibling }: Columns, { count, tail, first, next, runOf }: Runs): void {
  for (let run = 0; run < count; run += 1) {
    let before = NONE;
    for (let node = firstChild[tail[run] ?? 0] ?? NONE; node !== NONE; node = nextSibling[node] ?? NONE) {
      const below = runOf[node] ?? NONE;
      if (before === NONE) first[run] = below;
      else next[before] = below;
      before = below;
    }
  }
}

/** Runs below stand behind those above, so one walk from the end sums all. */
function sumRuns({ at }: Columns, runs: Runs): void {
  const { count, tail, up, length, first, weight, leaves, newest, drawn } = runs;
  for (let run = count - 1; run >= 0; run -= 1) {
    addTo(weight, run, numberAt(length, run));
    newest[run] = Math.max(numberAt(newest, run), numberAt(at, numberAt(tail, run)));
    if (first[run] === NONE) leaves[run] = 1;
    const above = numberAt(up, run);
    if (above === NONE) continue;
    addTo(weight, above, numberAt(weight, run));
    addTo(drawn, above, numberAt(drawn, run));
    addTo(leaves, above, numberAt(leaves, run));
    newest[above] = Math.max(numberAt(newest, above), numberAt(newest, run));
  }
}

interface TrunkChoice {
  here: number;
  memory: TrunkMemory;
}

/**
 * Where one stands leads straight on, elsewhere the heaviest branch. A branch that stands aside has at most half of what
 * is below its fork, so that indents are at most log2 of the nodes. What went straight on before stays, and at a new fork
 * what was there before.
 */
function chooseTrunk(runs: Runs, { here, memory }: TrunkChoice): void {
  const { count, up, trunk, indent, first, head, tail, drawn } = runs;
  const onPath = pathOfRuns(runs, here);
  const leads = (run: number): boolean => onPath[run] === 1;
  for (let run = 0; run < count; run += 1) {
    if (first[run] === NONE) continue;
    const fork = numberAt(tail, run);
    const kept = memory.chosen.get(fork);
    const weightOf = (below: number): number => {
      if (kept !== undefined && runs.runOf[kept] === below) return Number.POSITIVE_INFINITY;
      return numberAt(drawn, below) + (numberAt(head, below) < memory.known ? runs.runOf.length : 0);
    };
    const chosen = straightOn(runsBelow(runs, run), { leads, weightOf }) ?? NONE;
    memory.chosen.set(fork, head[chosen] ?? NONE);
    trunk[run] = chosen;
  }
  for (let run = 0; run < count; run += 1) {
    const above = up[run] ?? NONE;
    if (above !== NONE) indent[run] = (indent[above] ?? 0) + (trunk[above] === run ? 0 : 1);
  }
}

function pathOfRuns({ count, up, runOf }: Runs, here: number): Uint8Array {
  const onPath = new Uint8Array(count);
  for (let run = here === NONE ? NONE : (runOf[here] ?? NONE); run !== NONE; run = up[run] ?? NONE) onPath[run] = 1;
  return onPath;
}

function* runsBelow({ first, next }: Runs, run: number): Generator<number> {
  for (let below = first[run] ?? NONE; below !== NONE; below = next[below] ?? NONE) yield below;
}
