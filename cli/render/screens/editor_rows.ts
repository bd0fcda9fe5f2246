import { isSimple, type Ruler } from '../look/ruler.js';
import { cautiousWidth } from '../text/cautious_width.js';
import { HIDDEN_SIGN, showHidden } from '../text/invisible.js';

/** The width of rows, and the text shown for the signs that are tokens. */
export interface RowMeasure {
  columns: number;
  ruler: Ruler;
  /** By the sign in the text. */
  tokens: ReadonlyMap<string, string>;
}

/** A part of a line that fits into one row of the screen, from the line's start. */
export interface EditorRow {
  start: number;
  end: number;
}

/** One sign as it is drawn. */
export interface EditorCell {
  /** Its offset in the text. */
  start: number;
  end: number;
  shown: string;
  columns: number;
  /** The columns it takes at most: some terminals draw the parts of an emoji one after the other. Rows have room for that. */
  columnsMax: number;
  /** Whether a substitute is shown instead of the sign itself. */
  isStandIn: boolean;
}

const TAB_COLUMNS = 4;
// Longer clusters are heaps of marks, which would overflow into other rows.
const PIECE_LENGTH_MAX = 64;
const WINDOW_LENGTH = 256;
// A sign of ASCII before another one is a cluster by itself.
const ASCII_RUN = /[ -~]+(?=[ -~])/y;
const PLAIN_PAIR = /[ -~]{2}/g;
const ASCII = /^\p{ASCII}*$/u;
const TOKEN = /([\udc00-\udfff])/u;
const LONE_HALF = /[\ud800-\udfff]/u;
const CONTROL = /^\p{Cc}/u;
const MARK = /^\p{M}/u;

const segmenter = new Intl.Segmenter();

/** Cuts a line into the rows it takes; an empty line takes one. */
export function rowsOf(line: string, measure: RowMeasure): EditorRow[] {
  const { columns } = measure;
  if (isSimple(line)) {
    const count = Math.max(1, Math.ceil(line.length / columns));
    return Array.from({ length: count }, (_, row) => ({
      start: row * columns,
      end: Math.min(line.length, (row + 1) * columns),
    }));
  }
  const rows: EditorRow[] = [];
  let start = 0;
  let used = 0;
  for (const piece of piecesOf(line)) {
    let cell = cellOf(piece, used, measure);
    if (used + cell.columnsMax > columns) {
      rows.push({ start, end: cell.start });
      start = cell.start;
      used = 0;
      cell = cellOf(piece, 0, measure);
    }
    used += cell.columnsMax;
  }
  rows.push({ start, end: line.length });
  return rows;
}

/** The signs of one row. */
export function* cellsOf(row: string, measure: RowMeasure): Generator<EditorCell> {
  let used = 0;
  for (const piece of piecesOf(row)) {
    const cell = cellOf(piece, used, measure);
    used += cell.columns;
    yield cell;
  }
}

/** The row of an offset in the line: the later one where two rows meet. */
export function rowAt(rows: readonly EditorRow[], offset: number): number {
  const next = rows.findIndex(({ start }) => start > offset);
  return next < 0 ? rows.length - 1 : next - 1;
}

/** The column of an offset in a row. */
export function columnAt(row: string, offset: number, measure: RowMeasure): number {
  if (isSimple(row)) return Math.min(offset, row.length);
  let used = 0;
  for (const cell of cellsOf(row, measure)) {
    if (cell.end > offset) break;
    used += cell.columns;
  }
  return used;
}

/** The offset in a row that is nearest to a column from the left. */
export function offsetAt(row: string, column: number, measure: RowMeasure): number {
  if (isSimple(row)) return Math.min(column, row.length);
  let used = 0;
  for (const cell of cellsOf(row, measure)) {
    used += cell.columns;
    if (used > column) return cell.start;
  }
  return row.length;
}

interface Piece {
  at: number;
  text: string;
}

function* piecesOf(line: string): Generator<Piece> {
  if (ASCII.test(line)) {
    for (let at = 0; at < line.length; at++) yield { at, text: line.charAt(at) };
    return;
  }
  for (let start = 0; start < line.length; ) {
    ASCII_RUN.lastIndex = start;
    const run = ASCII_RUN.exec(line)?.[0] ?? '';
    for (let at = 0; at < run.length; at++) yield { at: start + at, text: run.charAt(at) };
    start += run.length;
    const pieces = segmentsFrom(line, start);
    for (const { at, text } of pieces) {
      if (text.length === 1 || !LONE_HALF.test(text)) yield { at, text };
      else yield* aroundTokens(text, at);
      start = at + text.length;
    }
  }
}

/** Some hundred signs from an offset on: a step of the segmenter takes time in proportion to the length of its string. */
function segmentsFrom(line: string, start: number, length = WINDOW_LENGTH): Piece[] {
  PLAIN_PAIR.lastIndex = start;
  const pair = PLAIN_PAIR.exec(line.slice(0, start + length))?.index ?? line.length;
  const end = Math.min(line.length, start + length, pair + 1);
  // Half a character would be a sign of its own.
  const whole = end < line.length && isHigh(line.charCodeAt(end - 1)) && end - start > 1 ? end - 1 : end;
  const pieces = Array.from(segmenter.segment(line.slice(start, whole)), ({ index, segment }) => ({
    at: start + index,
    text: segment,
  }));
  if (end === line.length || end === pair + 1) return pieces;
  // The last one may go on behind the window; one that fills it does, as a chain of joined emoji may.
  return pieces.length === 1 ? segmentsFrom(line, start, 2 * length) : pieces.slice(0, -1);
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** Marks join any sign before them, but a token stays alone. */
function* aroundTokens(segment: string, start: number): Generator<Piece> {
  let at = start;
  for (const text of segment.split(TOKEN)) {
    if (text !== '') yield { at, text };
    at += text.length;
  }
}

function cellOf({ at, text }: Piece, used: number, measure: RowMeasure): EditorCell {
  const range = { start: at, end: at + text.length };
  const room = measure.columns;
  if (text === '\t') {
    const columns = Math.max(1, Math.min(TAB_COLUMNS - (used % TAB_COLUMNS), room - used));
    return { ...range, shown: ' '.repeat(columns), columns, columnsMax: columns, isStandIn: false };
  }
  const standIn = standInOf(text, measure);
  if (standIn !== null) return standInCell(range, standIn.slice(0, room));
  const revealed = HIDDEN_SIGN.test(text) ? showHidden(text.slice(0, PIECE_LENGTH_MAX)) : text;
  if (revealed !== text && ASCII.test(revealed)) return standInCell(range, revealed.slice(0, room));
  const shown = visible(revealed, measure.ruler);
  const widths = widthsOf(shown, measure.ruler);
  return widths.columnsMax > room
    ? standInCell(range, '?')
    : { ...range, shown, ...widths, isStandIn: revealed !== text };
}

/** `shown` is all ASCII. */
function standInCell(range: { start: number; end: number }, shown: string): EditorCell {
  return { ...range, shown, columns: shown.length, columnsMax: shown.length, isStandIn: true };
}

/** What is shown for a sign that must not reach the terminal. All of it is ASCII. */
function standInOf(text: string, { tokens }: RowMeasure): string | null {
  if (text.length === 1 && text >= ' ' && text <= '~') return null;
  const [half] = LONE_HALF.exec(text) ?? [];
  if (half !== undefined) return tokens.get(half) ?? '?';
  const code = text.charCodeAt(0);
  if (!CONTROL.test(text)) return null;
  return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : `<${code.toString(16).toUpperCase()}>`;
}

interface Widths {
  columns: number;
  columnsMax: number;
}

// Measuring a sign takes longer than anything else here, and most texts are written with few of them.
const WIDTHS_MAX = 4_096;
const cachedWidths = new WeakMap<Ruler, Map<string, Widths>>();

function widthsOf(piece: string, ruler: Ruler): Widths {
  const all = cachedWidths.get(ruler) ?? new Map<string, Widths>();
  cachedWidths.set(ruler, all);
  const widths = all.get(piece) ?? { columns: ruler.width(piece), columnsMax: cautiousWidth(piece, ruler) };
  if (all.size >= WIDTHS_MAX) all.clear();
  all.set(piece, widths);
  return widths;
}

/** A mark alone would be drawn onto what stands before it, and signs without width do strange things to terminals. */
function visible(text: string, ruler: Ruler): string {
  const piece = text.length > PIECE_LENGTH_MAX ? text.slice(0, PIECE_LENGTH_MAX).toWellFormed() : text;
  if (MARK.test(piece)) return ` ${piece}`;
  return widthsOf(piece, ruler).columns === 0 ? '' : piece;
}
