import type { Ruler } from '../../render/ruler.js';
import type { DrawnBlock } from './block_painter.js';
import type { Size } from './terminal.js';

/**
 * What a terminal does with rows that are too long when it becomes narrower: it wraps them and keeps the cursor where it
 * was; it leaves them; or, as xterm.js does, it wraps all but the one with the cursor, which it moves down by all that the
 * others have grown, even by those below it.
 */
export type Reflow = 'all' | 'xterm_js' | 'none';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const COLOURS = /\x1b\[[0-9;:]*m/g;

/** What is known of the terminal from the environment decides; most wrap everything. */
export function reflowOf(variable: (name: string) => string | undefined): Reflow {
  if (variable('TERM_PROGRAM') === 'vscode') return 'xterm_js';
  // Inside tmux it is tmux that wraps.
  if (variable('TMUX') !== undefined) return 'all';
  if (variable('XTERM_VERSION') !== undefined) return 'none';
  return /^(linux|screen)/.test(variable('TERM') ?? '') ? 'none' : 'all';
}

/** How many rows of a block stand above the cursor now that the terminal has this size. */
export function rowsAboveCursor(
  drawn: DrawnBlock,
  { columns, rows }: Size,
  wrap: { reflow: Reflow; ruler: Ruler },
): number {
  const { row, column } = drawn.cursor;
  if (columns >= drawn.columns || wrap.reflow === 'none') return row;
  const grown = drawn.lines.map((line) => rowsOf(line, columns, wrap.ruler));
  const above = sum(grown.slice(0, row));
  // A window that became lower has dropped what stood below the cursor, so that this can no longer grow. When it has not,
  // something of the old block is left: better than to draw over what a person has not read.
  if (wrap.reflow === 'xterm_js') return movedCursor(rows < drawn.rows ? grown.slice(0, row + 1) : grown, row);
  // Behind the last character of a row that is full the cursor stays in that row.
  const isBehind = column >= wrap.ruler.width(drawn.lines[row] ?? '');
  return above + Math.floor(Math.max(0, isBehind ? column - 1 : column) / columns);
}

/** It goes through the rows from the last to the first, and moves the cursor while it does. */
function movedCursor(grown: readonly number[], row: number): number {
  return grown.reduceRight((at, rows, place) => (at === place ? at : at + rows - 1), row);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** How many rows a line takes; a wide character that does not fit at the end of a row begins the next. */
function rowsOf(line: string, columns: number, ruler: Ruler): number {
  let rows = 1;
  let used = 0;
  for (const piece of ruler.pieces(line.replace(COLOURS, ''))) {
    const wide = ruler.width(piece);
    used += wide;
    if (used <= columns) continue;
    rows += 1;
    used = wide;
  }
  return rows;
}
