import type { CursorPlace, LiveBlock } from '../../render/screens/live_block.js';
import {
  CLEAR_BELOW,
  CLEAR_TO_LINE_END,
  down,
  HIDE_CURSOR,
  PLAIN_INK,
  SHOW_CURSOR,
  toColumn,
  up,
} from './sequences.js';
import type { Size } from './terminal.js';

/** The live block as it stands on the screen. */
export interface DrawnBlock {
  lines: readonly string[];
  /** Where the terminal's cursor was left, seen or not. */
  cursor: CursorPlace;
  /** The size of the terminal. */
  columns: number;
  rows: number;
  isCursorShown: boolean;
}

/** Before anything is drawn: the cursor is at the beginning of an empty row. */
export function nothingDrawn({ columns, rows }: Size): DrawnBlock {
  return { lines: [], cursor: { row: 0, column: 0 }, columns, rows, isCursorShown: true };
}

interface Painting {
  drawn: DrawnBlock;
  /** Where the top of what is drawn is, in rows above the cursor. */
  rowsAbove: number;
  appended: string | null;
  /** Whether nothing is to be taken for drawn already. */
  isWhole: boolean;
  next: LiveBlock;
  size: Size;
}

/** What to write so that the next block stands on the screen, below what was appended; empty when nothing changes. */
export function paintBlock(painting: Painting): { bytes: string; drawn: DrawnBlock } {
  const { drawn, next, size } = painting;
  const isResized = drawn.columns !== size.columns || drawn.rows !== size.rows;
  const isWhole = painting.isWhole || painting.appended !== null || isResized;
  const cursor = next.cursor ?? { row: Math.max(0, next.lines.length - 1), column: 0 };
  const after = { lines: next.lines, cursor, ...size, isCursorShown: next.cursor !== null };
  const rows = isWhole ? wholeBlock(painting) : changedRows(drawn.lines, next.lines);
  const isSame = rows.bytes === '' && isSamePlace(drawn.cursor, cursor) && drawn.isCursorShown === after.isCursorShown;
  if (isSame) return { bytes: '', drawn: after };
  const isMoved = rows.bytes === '';
  const start = isMoved ? drawn.cursor.row : rows.endRow;
  const place = up(start - cursor.row) + down(cursor.row - start) + toColumn(cursor.column);
  const show = after.isCursorShown && !(isMoved && drawn.isCursorShown) ? SHOW_CURSOR : '';
  const hide = drawn.isCursorShown && !(isMoved && after.isCursorShown) ? HIDE_CURSOR : '';
  const top = isMoved ? '' : `\r${up(painting.rowsAbove)}`;
  return { bytes: hide + top + rows.bytes + place + show, drawn: after };
}

/** What to write so that the cursor stands at the beginning of the row below the block. */
export function leaveBlock(drawn: DrawnBlock): string {
  const below = drawn.lines.length === 0 ? '\r' : `${down(drawn.lines.length - 1 - drawn.cursor.row)}\r\n`;
  return PLAIN_INK + below;
}

interface Rows {
  bytes: string;
  /** The row that the cursor is on after them. */
  endRow: number;
}

/** Everything anew, from the top of the old block on. */
function wholeBlock({ appended, next }: Painting): Rows {
  const finished = appended === null ? '' : `${inkEnded(appended).replaceAll('\n', '\r\n')}\r\n`;
  return {
    bytes: CLEAR_BELOW + finished + next.lines.join('\r\n'),
    endRow: Math.max(0, next.lines.length - 1),
  };
}

/** Only the rows that are no longer the same; new ones are made by line ends, which scroll where there is no room. */
function changedRows(before: readonly string[], after: readonly string[]): Rows {
  let bytes = '';
  let row = 0;
  let existing = Math.max(1, before.length);
  const goTo = (wanted: number): void => {
    const known = Math.min(wanted, existing - 1);
    bytes += `${known > row ? down(known - row) : ''}\r${'\r\n'.repeat(wanted - known)}`;
    existing = Math.max(existing, wanted + 1);
    row = wanted;
  };
  for (const [place, line] of after.entries()) {
    if (line === before[place]) continue;
    goTo(place);
    // What is cleared behind a shorter line is still a part of it in tmux, and is wrapped with it.
    const isShorter = line.length < (before[place]?.length ?? 0);
    bytes += isShorter ? CLEAR_TO_LINE_END + line : line + CLEAR_TO_LINE_END;
  }
  if (after.length < before.length) {
    goTo(after.length);
    bytes += CLEAR_BELOW;
  }
  return { bytes, endRow: row };
}

function isSamePlace(one: CursorPlace, other: CursorPlace): boolean {
  return one.row === other.row && one.column === other.column;
}

/** A colour that was not ended would go on in everything below. */
function inkEnded(text: string): string {
  return text.includes('\x1b') ? text + PLAIN_INK : text;
}
