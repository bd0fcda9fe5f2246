import type { Ruler } from '../../render/look/ruler.js';
import type { DrawnBlock } from './block_painter.js';
import type { Pace } from './resize_pace.js';
import type { Size } from './terminal.js';

/**
 * What a terminal does with rows that are too long when it becomes narrower: it wraps them and keeps the cursor where it
 * was; it leaves them; or, as xterm.js does, it wraps all but the one with the cursor, which it moves down by all that the
 * others have grown, even by those below it.
 */
export type Reflow = 'all' | 'xterm_js' | 'none';

interface Wrapping {
  reflow: Reflow;
  ruler: Ruler;
  pace: Pace;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const COLOURS = /\x1b\[[0-9;:]*m/g;

/**
 * How many rows of a block surely stand above the cursor now that the terminal has this size. Never too many: what is left
 * of an old block can be seen to be that, but what has been drawn over of the transcript is gone.
 */
export function rowsAboveCursor(drawn: DrawnBlock, size: Size, wrapping: Wrapping): number {
  const { row, column } = drawn.cursor;
  const { reflow, ruler } = wrapping;
  if (size.columns >= drawn.columns || reflow === 'none') return row;
  const grown = drawn.lines.map((line) => rowsOf(line, size.columns, ruler));
  const above = sum(grown.slice(0, row));
  if (reflow === 'xterm_js') return rowsAboveMoved(grown, { drawn, size, above, pace: wrapping.pace });
  // Behind the last character of a row that is full the cursor stays in that row.
  const isBehind = column >= ruler.width(drawn.lines[row] ?? '');
  return above + Math.floor(Math.max(0, isBehind ? column - 1 : column) / size.columns);
}

/** The rows above a cursor that the terminal has moved; which rows have moved it depends on each change of the size. */
function rowsAboveMoved(
  grown: readonly number[],
  { drawn, size, above, pace }: { drawn: DrawnBlock; size: Size; above: number; pace: Pace },
): number {
  const { row } = drawn.cursor;
  // A window that became lower has dropped what stood below the cursor, so that this can no longer grow.
  const isLower = size.rows < drawn.rows;
  if (pace === 'once') return movedCursor(isLower ? grown.slice(0, row + 1) : grown, row);
  return pace === 'gently' && size.rows === drawn.rows && grown.slice(row + 1).some((rows) => rows > 1)
    ? above + 1
    : above;
}

/** It goes through the rows from the last to the first, and moves the cursor while it does. */
function movedCursor(grown: readonly number[], row: number): number {
  return grown.reduceRight((at, rows, place) => (at === place ? at : at + rows - 1), row);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** How many rows a line takes at least; a wide character that does not fit at the end of a row begins the next. */
function rowsOf(line: string, columns: number, ruler: Ruler): number {
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
