import type { Ruler } from '../../render/look/ruler.js';
import type { DrawnBlock } from './block_painter.js';
import type { ResizePace } from './resize_pace.js';
import type { Size } from './terminal.js';

/**
 * What a terminal does with rows that are too long when it becomes narrower: it wraps them and keeps the cursor where it
 * was; it leaves them; or, as xterm.js does, it wraps all but the one with the cursor, and moves the cursor down by all rows that
 * were added, even below it.
 */
export type Reflow = 'all' | 'xterm_js' | 'none';

interface Wrapping {
  reflow: Reflow;
  ruler: Ruler;
  pace: ResizePace;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const COLOURS = /\x1b\[[0-9;:]*m/g;

/**
 * How many rows of a block are certainly above the cursor at the new size. Never too many: a leftover of an old block is
 * recognized as such, but chat output that was drawn over is lost.
 */
export function rowsAboveCursor(drawn: DrawnBlock, size: Size, wrapping: Wrapping): number {
  const { row, column } = drawn.cursor;
  const { reflow, ruler } = wrapping;
  if (size.columns >= drawn.columns || reflow === 'none') return row;
  const heights = drawn.lines.map((line) => wrappedRows(line, size.columns, ruler));
  const above = sum(heights.slice(0, row));
  if (reflow === 'xterm_js') return rowsAboveMoved(heights, { drawn, size, above, pace: wrapping.pace });
  // Behind the last character of a row that is full the cursor stays in that row.
  const isBehind = column >= ruler.width(drawn.lines[row] ?? '');
  return above + Math.floor(Math.max(0, isBehind ? column - 1 : column) / size.columns);
}

/** The rows above a cursor that the terminal has moved; which rows moved it depends on each resize. */
function rowsAboveMoved(
  heights: readonly number[],
  { drawn, size, above, pace }: { drawn: DrawnBlock; size: Size; above: number; pace: ResizePace },
): number {
  const { row } = drawn.cursor;
  // A window that became lower has dropped what stood below the cursor, so that this can no longer grow.
  const isLower = size.rows < drawn.rows;
  if (pace === 'single') return movedCursor(isLower ? heights.slice(0, row + 1) : heights, row);
  return pace === 'drag' && size.rows === drawn.rows && heights.slice(row + 1).some((rows) => rows > 1)
    ? above + 1
    : above;
}

/** xterm.js wraps rows from the last to the first, and moves the cursor at each. */
function movedCursor(heights: readonly number[], row: number): number {
  return heights.reduceRight((at, rows, index) => (at === index ? at : at + rows - 1), row);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** How many rows a line takes at least; a wide character that does not fit at the end of a row begins the next. */
function wrappedRows(line: string, columns: number, ruler: Ruler): number {
  let rows = 1;
  let used = 0;
  for (const piece of ruler.pieces(line.replace(COLOURS, ''))) {
    const wide = leastWidth(piece, ruler);
    used += wide;
    if (used <= columns) continue;
    rows += 1;
    used = wide;
  }
  return rows;
}

/** Terminals do not agree on how wide joined characters are. */
function leastWidth(piece: string, ruler: Ruler): number {
  const whole = ruler.width(piece);
  return piece.length === 1 ? whole : Math.min(whole, ruler.width(String.fromCodePoint(piece.codePointAt(0) ?? 0)));
}
