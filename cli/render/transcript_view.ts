import { cleanLine } from './clean.js';
import { cut, pad } from './cut.js';
import type { LiveBlock } from './live_block.js';
import type { Look } from './look.js';

export interface TranscriptRow {
  text: string;
  /** Whether it belongs to the block that keys are about. */
  isChosen: boolean;
}

/** What is seen of a transcript. */
export interface TranscriptPage {
  rows: readonly TranscriptRow[];
  /** What is searched for, to stand out; empty for nothing. */
  query: string;
  /** Keys and what they do, shown above the last rows; empty for none. */
  keys: readonly KeyWords[];
  /** The line that is typed, with the sign it begins with. */
  typing: { sign: string; text: string } | null;
  /** A word about what was done, or about the keys. */
  word: string;
  status: string;
}

export type KeyWords = readonly [key: string, words: string];

const GUTTER_COLUMNS = 2;
/** With fewer rows the word about the keys is left out. */
const WORD_ROWS_MIN = 8;
const GAP = '  ';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const COLOURS = /\x1b\[[0-9;:]*m/g;

/** Rows of a screen that the transcript itself has. */
export function pageHeight(rows: number): number {
  return Math.max(1, rows - (rows < WORD_ROWS_MIN ? 1 : 2));
}

/** Columns for the text of a transcript. */
export function pageColumns(columns: number): number {
  return Math.max(1, columns - GUTTER_COLUMNS);
}

/** Draws a transcript on a whole screen. */
export function drawTranscript(page: TranscriptPage, rows: number, look: Look): LiveBlock {
  const height = pageHeight(rows);
  const drawn = page.rows.slice(0, height).map((row) => rowOf(row, page.query, look));
  const body = [...drawn, ...Array<string>(Math.max(0, height - drawn.length)).fill('')];
  const keys = keyRows(page.keys, height, look);
  if (keys.length > 0) body.splice(Math.max(0, height - keys.length), keys.length, ...keys);
  const { typing } = page;
  if (typing !== null) {
    const text = cleanLine(`${typing.sign}${typing.text}`) + (typing.text.endsWith(' ') ? ' ' : '');
    const line = endOf(text, look.width - 1, look);
    const lines = rows < WORD_ROWS_MIN ? [...body, line] : [...body, line, page.status];
    return { lines, cursor: { row: height, column: look.ruler.width(line) } };
  }
  const word = rows < WORD_ROWS_MIN ? [] : [look.style.quiet(cut(page.word, look.width - 1, look))];
  return { lines: [...body, ...word, page.status], cursor: null };
}

function rowOf({ text, isChosen }: TranscriptRow, query: string, look: Look): string {
  const gutter = isChosen ? look.style.here(look.glyphs.bar.slice(0, 1)) : ' ';
  return `${gutter} ${query === '' ? text : matched(text, query, look)}`;
}

/** A row that has what is searched for loses its other colours. */
function matched(row: string, query: string, { style }: Look): string {
  const text = row.replace(COLOURS, '');
  const small = text.toLowerCase();
  const wanted = query.toLowerCase();
  // In some scripts the small letters of a text are longer than the text.
  if (small.length !== text.length || !small.includes(wanted)) return row;
  let shown = '';
  let from = 0;
  for (let at = small.indexOf(wanted); at >= 0; at = small.indexOf(wanted, from)) {
    shown += text.slice(from, at) + style.match(text.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  return shown + text.slice(from);
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

/** Of a line that is too long the end, where one types. */
function endOf(text: string, columns: number, { ruler }: Look): string {
  if (ruler.width(text) <= columns) return text;
  const kept: string[] = [];
  let used = 0;
  for (const piece of [...ruler.pieces(text)].reverse()) {
    used += ruler.width(piece);
    if (used > columns) break;
    kept.push(piece);
  }
  return kept.reverse().join('');
}
