import type { Ruler } from '../look/ruler.js';
import { cautiousWidth, measuredPieces } from '../text/cautious_width.js';

/** The cursor's row in what is drawn, and its columns from the left end. */
export interface CursorPlace {
  row: number;
  column: number;
}

/** Rows that are redrawn whenever they change. */
export interface LiveBlock {
  /** One row each, without line ends; may hold colours. */
  lines: readonly string[];
  /** Null while there is nothing to write into. */
  cursor: CursorPlace | null;
}

export const NO_BLOCK: LiveBlock = { lines: [], cursor: null };

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const COLOUR = /(\x1b\[[0-9;:]*m)/;
const COLOURS_END = '\x1b[0m';
const TAB_AND_LINE_ENDS = /[\t\r\n]/g;

/** Fits a block into so many columns and rows: keeps the rows nearest to its end that include the cursor. */
export function fitBlock(
  block: LiveBlock,
  { columns, rows }: { columns: number; rows: number },
  ruler: Ruler,
): LiveBlock {
  const last = Math.max(0, block.lines.length - rows);
  const first = block.cursor === null ? last : Math.min(last, block.cursor.row);
  const lines = block.lines.slice(first, first + rows).map((line) => clipLine(line, columns, ruler));
  if (block.cursor === null || lines.length === 0) return { lines, cursor: null };
  const row = Math.min(block.cursor.row - first, lines.length - 1);
  const line = lines[row] ?? '';
  // The cursor cannot stand behind the clipped end of a line.
  const end = line === block.lines[first + row] ? columns : Math.min(columns, ruler.width(line));
  return { lines, cursor: { row, column: Math.min(block.cursor.column, end) } };
}

/** The beginning of a row that may hold colours, as far as it goes into so many columns. */
export function clipLine(line: string, columns: number, ruler: Ruler): string {
  const text = line.replace(TAB_AND_LINE_ENDS, ' ');
  const isColoured = text.includes('\x1b');
  if (!isColoured && cautiousWidth(text, ruler) <= columns) return text;
  let clipped = '';
  let room = columns;
  for (const part of text.split(COLOUR)) {
    if (COLOUR.test(part)) {
      clipped += part;
      continue;
    }
    const start = beginning(part, room, ruler);
    clipped += start.text;
    room = start.text === part ? room - start.columns : 0;
  }
  return isColoured && !clipped.endsWith(COLOURS_END) ? clipped + COLOURS_END : clipped;
}

function beginning(text: string, columns: number, ruler: Ruler): { text: string; columns: number } {
  let end = 0;
  let used = 0;
  for (const { piece, columns: wide } of measuredPieces(text, ruler)) {
    if (used + wide > columns) break;
    used += wide;
    end += piece.length;
  }
  return { text: text.slice(0, end), columns: used };
}
