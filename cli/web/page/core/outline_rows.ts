import { NONE } from './node_table.js';
import { isTurn, type Runs } from './runs.js';
import { type Columns, LETTER } from './tree_columns.js';

/** The rows of an outline, in columns. */
export interface OutlineRows {
  count: number;
  node: Int32Array;
  run: Int32Array;
  /** For each level left of the row a bit: whether a branch goes on there below. */
  through: Int32Array;
  flags: Uint8Array;
  /** The first row of each run; `NONE` for one that a folded run hides. */
  rowOfRun: Int32Array;
}

/** What a row shows: rails above and below it, a rail from the branch that it left, folds. */
export const ROW = { above: 1, below: 2, aside: 4, folded: 8, head: 16, canFold: 32 } as const;
const LEVELS_MAX = 30;

/** Lists the rows of a tree: each branch stands below the fork that it left, what goes straight on last. */
export function rowsOf(columns: Columns, runs: Runs, isOpen: (run: number) => boolean): OutlineRows {
  const list = createRowList(runs.count);
  if (runs.count === 0) return list.rows();
  const stack = [{ run: 0, through: 0 }];
  for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
    const { run, through } = one;
    if (!isOpen(run)) {
      list.add({
        node: shownHead(columns, runs, run),
        run,
        through,
        flags: headFlags(runs, run) | foldedFlag(runs, run),
      });
      continue;
    }
    addOpenRun(columns, runs, { list, run, through });
    const trunk = runs.trunk[run] ?? NONE;
    if (trunk !== NONE) stack.push({ run: trunk, through });
    const bit = 1 << Math.min(LEVELS_MAX, runs.indent[run] ?? 0);
    for (const side of sidesOf(runs, run).reverse()) stack.push({ run: side, through: through | bit });
  }
  return list.rows();
}

/** The root says nothing: what was said first stands for it. */
export function shownHead({ kind, firstChild, childCount }: Columns, { head }: Runs, run: number): number {
  const node = head[run] ?? NONE;
  return kind[node] === LETTER.root && childCount[node] === 1 ? (firstChild[node] ?? node) : node;
}

function addOpenRun(columns: Columns, runs: Runs, place: { list: RowList; run: number; through: number }): void {
  const { list, run, through } = place;
  const tail = runs.tail[run] ?? NONE;
  let node = shownHead(columns, runs, run);
  list.add({ node, run, through, flags: headFlags(runs, run) });
  while (node !== tail && node !== NONE) {
    node = columns.firstChild[node] ?? NONE;
    if (node === NONE || !isTurn(columns, node)) continue;
    list.goesOn();
    list.add({ node, run, through, flags: ROW.above });
  }
  if (runs.first[run] !== NONE) list.goesOn();
}

function headFlags({ up, trunk, first, turns }: Runs, run: number): number {
  const above = up[run] ?? NONE;
  const canFold = first[run] !== NONE || (turns[run] ?? 0) > 1 ? ROW.canFold : 0;
  if (above === NONE) return ROW.head | canFold;
  return ROW.head | canFold | (trunk[above] === run ? ROW.above : ROW.aside);
}

function foldedFlag(runs: Runs, run: number): number {
  return headFlags(runs, run) & ROW.canFold ? ROW.folded : 0;
}

/** The runs below one that do not go straight on. */
export function sidesOf({ first, next, trunk }: Runs, run: number): number[] {
  const sides: number[] = [];
  for (let below = first[run] ?? NONE; below !== NONE; below = next[below] ?? NONE)
    if (below !== trunk[run]) sides.push(below);
  return sides;
}

interface Row {
  node: number;
  run: number;
  through: number;
  flags: number;
}

interface RowList {
  add(row: Row): void;
  /** The last row has something below it. */
  goesOn(): void;
  rows(): OutlineRows;
}

function createRowList(runCount: number): RowList {
  const rowOfRun = new Int32Array(runCount).fill(NONE);
  let [node, run, through] = [new Int32Array(256), new Int32Array(256), new Int32Array(256)];
  let flags = new Uint8Array(256);
  let count = 0;
  const enlarge = (): void => {
    [node, run, through] = [enlarged(node), enlarged(run), enlarged(through)];
    const more = new Uint8Array(flags.length * 2);
    more.set(flags);
    flags = more;
  };
  return {
    add(row) {
      if (count === node.length) enlarge();
      if (row.flags & ROW.head) rowOfRun[row.run] = count;
      node[count] = row.node;
      run[count] = row.run;
      through[count] = row.through;
      flags[count] = row.flags;
      count += 1;
    },
    goesOn() {
      flags[count - 1] = (flags[count - 1] ?? 0) | ROW.below;
    },
    rows: () => ({
      ...{ count, rowOfRun, node: node.subarray(0, count), run: run.subarray(0, count) },
      ...{ through: through.subarray(0, count), flags: flags.subarray(0, count) },
    }),
  };
}

function enlarged(list: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(list.length * 2);
  more.set(list);
  return more;
}
