/** What terminals are told; ECMA-48, and the private modes that all of today's know or pass over. */
export const HIDE_CURSOR = '\x1b[?25l';
export const SHOW_CURSOR = '\x1b[?25h';
/** Between these two nothing is shown, so that no half of a frame is seen. */
export const BEGIN_FRAME = '\x1b[?2026h';
export const END_FRAME = '\x1b[?2026l';
/** A paste comes between marks, so that its line ends are not taken for Enter. */
export const BRACKET_PASTES = '\x1b[?2004h';
export const UNBRACKET_PASTES = '\x1b[?2004l';
export const ENTER_ALTERNATE = '\x1b[?1049h';
export const LEAVE_ALTERNATE = '\x1b[?1049l';
export const CLEAR_BELOW = '\x1b[J';
export const CLEAR_TO_LINE_END = '\x1b[K';
export const CLEAR_SCREEN = '\x1b[H\x1b[2J';
export const PLAIN_INK = '\x1b[0m';

export function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : '';
}

export function down(rows: number): string {
  return rows > 0 ? `\x1b[${rows}B` : '';
}

/** To so many columns from the left end of the row. */
export function toColumn(column: number): string {
  return column > 0 ? `\r\x1b[${column}C` : '\r';
}

export function toRow(row: number): string {
  return `\x1b[${row + 1};1H`;
}
