import { batch } from '@preact/signals';
import { NONE, numberAt } from '../core/node_table.js';
import { ROW } from '../core/outline_rows.js';
import { chooseToCompare, placeCursor, read } from '../state/moves.js';
import { allOpen, folds, rows, runs } from '../state/tree_state.js';
import { cursor } from '../state/view_state.js';

/** Folds or opens the run of a row. */
export function fold(row: number, isOpen: boolean): void {
  const run = numberAt(rows.value.run, row);
  folds.value = new Map(folds.value).set(numberAt(runs.value.head, run), isOpen);
}

/** Opens or folds all runs; the cursor stays at its node, or goes to the row that hides it. */
export function foldAll(isOpen: boolean): void {
  const node = numberAt(rows.value.node, cursor.value);
  batch(() => {
    folds.value = new Map();
    allOpen.value = isOpen;
  });
  placeCursor(node);
}

/** What a key does in the outline: the row that the cursor goes to, or null; undefined for a key that means nothing here. */
export function keyInOutline(key: string, pageRows: number): number | null | undefined {
  const row = Math.min(cursor.value, rows.value.count - 1);
  const move = MOVES.get(key);
  if (move !== undefined) return move(row, pageRows);
  switch (key) {
    case 'ArrowRight':
    case 'l':
      return openOrNext(row);
    case 'ArrowLeft':
    case 'h':
      return foldOrUp(row);
    case 'Enter':
    case ' ':
      read(numberAt(rows.value.node, row));
      return null;
    case 'c':
      chooseToCompare(numberAt(runs.value.tail, numberAt(rows.value.run, row)));
      return null;
    case '*':
    case '-':
      foldAll(key === '*');
      return null;
    default:
      return undefined;
  }
}

const MOVES: ReadonlyMap<string, (row: number, pageRows: number) => number> = new Map([
  ['ArrowDown', (row: number) => row + 1],
  ['j', (row: number) => row + 1],
  ['ArrowUp', (row: number) => row - 1],
  ['k', (row: number) => row - 1],
  ['Home', () => 0],
  ['g', () => 0],
  ['End', () => rows.value.count - 1],
  ['G', () => rows.value.count - 1],
  ['PageDown', (row: number, pageRows: number) => row + pageRows],
  ['PageUp', (row: number, pageRows: number) => row - pageRows],
]);

function openOrNext(row: number): number | null {
  if (((rows.value.flags[row] ?? 0) & ROW.folded) === 0) return row + 1;
  fold(row, true);
  return null;
}

/** The first row of an open run folds it; any other goes to that row, or to the fork above. */
function foldOrUp(row: number): number | null {
  const flags = rows.value.flags[row] ?? 0;
  const run = numberAt(rows.value.run, row);
  const first = numberAt(rows.value.rowOfRun, run);
  if (first < row) return first;
  if ((flags & ROW.canFold) !== 0 && (flags & ROW.folded) === 0) {
    fold(row, false);
    return null;
  }
  const above = numberAt(runs.value.up, run);
  return above === NONE ? 0 : lastRowOf(above);
}

/** The last row of an open run, from which its branches leave. */
function lastRowOf(run: number): number {
  const { rowOfRun, run: runOfRow, count } = rows.value;
  let row = numberAt(rowOfRun, run);
  while (row + 1 < count && runOfRow[row + 1] === run) row += 1;
  return row;
}
