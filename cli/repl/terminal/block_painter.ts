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

/** The live block as it is on the screen. */
export interface DrawnBlock {
  lines: readonly string[];
  /** Where the terminal's cursor is, visible or hidden. */
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
  /** How many rows above the cursor the drawn block begins. */
  rowsAbove: number;
  appended: string | null;
  /** Whether every row has to be written. */
  isWhole: boolean;
  next: LiveBlock;
  size: Size;
}

/** The bytes that replace the block by the next one, below what was appended; empty when nothing changes. */
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

/** The bytes that move the cursor to the beginning of the row below the block. */
export function leaveBlock(drawn: DrawnBlock): string {
  const below = drawn.lines.length === 0 ? '\r' : `${down(drawn.lines.length - 1 - drawn.cursor.row)}\r\n`;
  return PLAIN_INK + below;
}

interface Rows {
  bytes: string;
  /** The cursor's row after them. */
  endRow: number;
}

/** Everything, from the top of the old block on. */
function wholeBlock({ appended, next }: Painting): Rows {
  const finished = appended === null ? '' : `${inkEnded(appended).replaceAll('\n', '\r\n')}\r\n`;
  return {
    bytes: CLEAR_BELOW + finished + next.lines.join('\r\n'),
    endRow: Math.max(0, next.lines.length - 1),
  };
}

/** Only the rows that differ; new ones are made by line ends, which scroll where there is no room. */
function changedRows(before: readonly string[], after: readonly string[]): Rows {
  let bytes = '';
  let row = 0;
  let existing = Math.max(1, before.length);
  const goTo = (target: number): void => {
    const last = Math.min(target, existing - 1);
    bytes += `${last > row ? down(last - row) : ''}\r${'\r\n'.repeat(target - last)}`;
    existing = Math.max(existing, target + 1);
    row = target;
  };
  for (const [index, line] of after.entries()) {
    if (line === before[index]) continue;
    goTo(index);
    // What is cleared behind a shorter line is still a part of it in tmux, and is wrapped with it.
    const isShorter = line.length < (before[index]?.length ?? 0);
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
