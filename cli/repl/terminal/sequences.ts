/** Control sequences: ECMA-48, and private modes that all of today's terminals know or ignore. */
export const HIDE_CURSOR = '\x1b[?25l';
export const SHOW_CURSOR = '\x1b[?25h';
/** Synchronized output: a frame between these two is shown at once. */
export const BEGIN_FRAME = '\x1b[?2026h';
export const END_FRAME = '\x1b[?2026l';
/** Bracketed paste: a paste comes between marks, so that its line ends are not taken for Enter. */
export const BRACKET_PASTES = '\x1b[?2004h';
export const UNBRACKET_PASTES = '\x1b[?2004l';
export const ENTER_ALTERNATE = '\x1b[?1049h';
export const LEAVE_ALTERNATE = '\x1b[?1049l';
/**
 * From the beginning of a row. It begins one column further on: tmux takes a clearing that begins at the first place of the
 * screen for one of the whole screen, and puts what was to be drawn over into its scrollback.
 */
export const CLEAR_BELOW = '\x1b[C\x1b[J\r\x1b[K';
export const CLEAR_TO_LINE_END = '\x1b[K';
export const CLEAR_SCREEN = '\x1b[H\x1b[2J';
/** Asks the terminal for its name and version (XTVERSION). */
export const ASK_NAME = '\x1b[>q';
export const PLAIN_INK = '\x1b[0m';

/**
 * Undoes what a killed program may have left: its screen, its cursor, mouse reports and key modes. The cursor is saved first, so
 * that it stays where it is when there was no alternate screen.
 */
export const UNDO_SCREEN_OF_KILLED = `\x1b7${LEAVE_ALTERNATE}\x1b[?1000;1002;1003;1006;1l\x1b>\x1b[>4m${PLAIN_INK}${SHOW_CURSOR}`;

export function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : '';
}

/**
 * To the row so many below, whatever the column. A terminal that has become lower meanwhile stops a cursor that is moved down
 * at its last row, and the way back up would then lead into the transcript: a line end makes the row that is missing.
 */
export function down(rows: number): string {
  return '\n'.repeat(Math.max(0, rows));
}

/** To a column of the row, from 0. */
export function toColumn(column: number): string {
  return column > 0 ? `\r\x1b[${column}C` : '\r';
}

export function toRow(row: number): string {
  return `\x1b[${row + 1};1H`;
}
