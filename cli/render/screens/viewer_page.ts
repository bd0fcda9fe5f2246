import type { Look } from '../look/look.js';
import { clean } from '../text/clean.js';
import { cut, pad } from '../text/cut.js';
import { markedRow, type RowMark } from '../text/text_search.js';
import { menuLines, type ShownMenu } from './editor_menu.js';
import type { LiveBlock } from './live_block.js';

export interface ViewerRow {
  text: string;
  /** Whether it belongs to the selected block. */
  isChosen: boolean;
  /** The matches of the search in it. */
  marks: readonly RowMark[];
}

/** What the viewer draws. */
export interface ViewerPage {
  rows: readonly ViewerRow[];
  /** Keys and what they do, shown above the last rows; empty for none. */
  keys: readonly KeyWords[];
  typing: ShownTyping | null;
  /** A message about the last action; null for none. */
  word: string | null;
  /** What the keys do, shown when there is no such message. */
  hints: string;
  status: string;
}

/** The line that is typed, with the sign it begins with, and what can be completed in it. */
export interface ShownTyping {
  sign: string;
  text: string;
  cursor: number;
  menu: ShownMenu | null;
}

export type KeyWords = readonly [key: string, words: string];

const GUTTER_COLUMNS = 2;
/** With fewer rows the hints about keys are left out. */
const WORD_ROWS_MIN = 8;
const GAP = '  ';

/** Rows of a screen for the text. */
export function pageHeight(rows: number): number {
  return Math.max(1, rows - (rows < WORD_ROWS_MIN ? 1 : 2));
}

/** Columns for the text. */
export function pageColumns(columns: number): number {
  return Math.max(1, columns - GUTTER_COLUMNS);
}

/** Draws the viewer on a whole screen. */
export function drawViewer(page: ViewerPage, rows: number, look: Look): LiveBlock {
  const height = pageHeight(rows);
  const drawn = page.rows.slice(0, height).map((row) => rowOf(row, look));
  const body = [...drawn, ...Array<string>(Math.max(0, height - drawn.length)).fill('')];
  const { typing, word } = page;
  const menu = typing?.menu ?? null;
  const below =
    menu === null ? keyRows(page.keys, height, look) : menuLines(menu, look, Math.min(height, MENU_ROWS_MAX));
  if (below.length > 0) body.splice(Math.max(0, height - below.length), below.length, ...below);
  const isLow = rows < WORD_ROWS_MIN;
  if (typing !== null) {
    const line = typedRow(typing, look);
    return {
      lines: [...body, line.text, ...(isLow ? [] : [page.status])],
      cursor: { row: height, column: line.column },
    };
  }
  const notice = look.style.quiet(cut(word ?? page.hints, look.width - 1, look));
  // With few rows a message replaces the status line.
  if (isLow) return { lines: [...body, word === null ? page.status : notice], cursor: null };
  return { lines: [...body, notice, page.status], cursor: null };
}

const MENU_ROWS_MAX = 8;

function rowOf({ text, isChosen, marks }: ViewerRow, look: Look): string {
  const gutter = isChosen ? look.style.here(look.glyphs.bar.slice(0, 1)) : ' ';
  return `${gutter} ${markedRow(text, marks, look.style)}`;
}

/** Keys side by side in columns below a ruling; where that is too high, one after the other. */
function keyRows(keys: readonly KeyWords[], height: number, look: Look): string[] {
  if (keys.length === 0) return [];
  const room = look.width - 1;
  const cells = keys.map(([key, words]) => `${key}  ${words}`);
  const wide = Math.max(...cells.map((cell) => cell.length)) + GAP.length;
  const side = Math.max(1, Math.floor(room / wide));
  const ruled = look.style.quiet('-'.repeat(Math.max(0, room)));
  if (Math.ceil(cells.length / side) + 1 <= height) {
    const rows = chunked(cells, side).map((row) =>
      row
        .map((cell) => pad(cell, wide, look.ruler))
        .join('')
        .trimEnd(),
    );
    return [ruled, ...rows.map((row) => cut(row, room, look))];
  }
  return flowed(
    keys.map(([key, words]) => `${key} ${words.split(' ')[0]}`),
    room,
  ).slice(0, height);
}

function chunked<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
}

function flowed(cells: readonly string[], columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  for (const cell of cells) {
    if (row !== '' && row.length + GAP.length + cell.length > columns) {
      rows.push(row);
      row = '';
    }
    row += (row === '' ? '' : GAP) + cell;
  }
  return [...rows, row];
}

/** Of a line that is too long the part around the cursor. */
function typedRow({ sign, text, cursor }: ShownTyping, { ruler, width }: Look): { text: string; column: number } {
  const room = width - 2;
  const before: string[] = [];
  let column = 0;
  for (const piece of [sign, ...ruler.pieces(singleLine(text.slice(0, cursor)))].reverse()) {
    const wide = ruler.width(piece);
    if (column + wide > room) break;
    column += wide;
    before.push(piece);
  }
  let row = before.reverse().join('');
  let used = column;
  for (const piece of ruler.pieces(singleLine(text.slice(cursor)))) {
    used += ruler.width(piece);
    if (used > room) break;
    row += piece;
  }
  return { text: row, column };
}

/** The text on one line. Runs of blanks stay as they are, since the person types among them. */
function singleLine(text: string): string {
  return clean(text).replace(/[\n\t]/g, ' ');
}
