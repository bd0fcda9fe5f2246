import type { Look } from '../look/look.js';
import { menuLines, type ShownMenu } from './editor_menu.js';
import { cellsOf, columnAt, type EditorRow, type RowMeasure, rowAt, rowsOf } from './editor_rows.js';
import type { CursorPlace } from './live_block.js';

/** The visible state of an editor. */
export interface EditorDrawing {
  text: string;
  cursor: number;
  /** The text shown for each sign that is a token. */
  tokens: ReadonlyMap<string, string>;
  /** Shown while the text is empty. */
  placeholder: string;
  /** A message below the text. */
  notice: string | null;
  menu: ShownMenu | null;
  search: ShownSearch | null;
}

export interface ShownSearch {
  query: string;
  isFailing: boolean;
  /** Where the query occurs in the text. */
  match: { start: number; end: number } | null;
}

export interface DrawnEditor {
  lines: string[];
  cursor: CursorPlace;
}

const PROMPT = '> ';
const INDENT = '  ';
const MORE_ABOVE = '^ ';
const MORE_BELOW = 'v ';
// Below this width every column is needed for the text.
const PROMPT_WIDTH_MIN = 8;

/** Columns for the text in an editor of this width: the last one stays free for the cursor. */
export function textColumns(width: number): number {
  return Math.max(1, width - promptColumns(width) - 1);
}

/** Draws an editor in at most so many rows, the row with the cursor always among them. */
export function editorView(drawing: EditorDrawing, look: Look, rows: number): DrawnEditor {
  const measure = { columns: textColumns(look.width), ruler: look.ruler, tokens: drawing.tokens };
  const search = drawing.search === null ? null : searchLine(drawing.search, look);
  const textRowsMin = rows < TWO_TEXT_ROWS_MIN ? 1 : visibleRows(drawing, measure, 2).rows.length;
  const menuRows = Math.min(drawing.menu?.items.length ?? 0, MENU_ROWS_MAX, Math.max(0, rows - textRowsMin));
  const textRows = Math.max(1, rows - menuRows - (search === null ? 0 : 1) - (drawing.notice === null ? 0 : 1));
  const seen = visibleRows(drawing, measure, textRows);
  const lines = seen.rows.map((row, index) => mark(seen, index, look) + rowText(row, { drawing, measure, look }));
  const end = { row: lines.length, column: search?.column ?? 0 };
  if (search !== null) lines.push(search.line);
  if (drawing.notice !== null) lines.push(look.style.quiet(INDENT + visibleStart(drawing.notice, measure)));
  if (drawing.menu !== null) lines.push(...menuLines(drawing.menu, look, menuRows));
  if (search !== null && rows > 1) return { lines: lines.slice(-Math.max(2, rows)), cursor: end };
  const column = Math.min(promptColumns(look.width) + seen.column, Math.max(0, look.width - 1));
  return { lines: lines.slice(0, Math.max(1, rows)), cursor: { row: seen.cursorRow, column } };
}

const MENU_ROWS_MAX = 8;
// With this many rows a menu leaves two for the text, where it has two.
const TWO_TEXT_ROWS_MIN = 4;

function promptColumns(width: number): number {
  return width < PROMPT_WIDTH_MIN ? 0 : PROMPT.length;
}

/** Rows of the text, by their offsets in it. */
interface SeenRows {
  rows: EditorRow[];
  cursorRow: number;
  column: number;
  hasMoreAbove: boolean;
  hasMoreBelow: boolean;
}

/** The rows around the cursor. Only these are measured: a text may have any number of lines. */
function visibleRows({ text, cursor }: EditorDrawing, measure: RowMeasure, count: number): SeenRows {
  const line = lineBounds(text, cursor);
  const here = placedRows(text, line, measure);
  const index = rowAt(here, cursor);
  const above = here.slice(0, index);
  const below = here.slice(index + 1);
  let { start, end } = line;
  while (above.length < count && start > 0) {
    const before = lineBounds(text, start - 1);
    above.unshift(...placedRows(text, before, measure));
    start = before.start;
  }
  while (below.length < count && end < text.length) {
    const after = lineBounds(text, end + 1);
    below.push(...placedRows(text, after, measure));
    end = after.end;
  }
  const others = Math.max(0, count - 1);
  const rowsAbove = Math.min(above.length, others - Math.min(below.length, Math.ceil(others / 2)));
  const rowsBelow = Math.min(below.length, others - rowsAbove);
  const row = here[index] ?? { start: 0, end: 0 };
  return {
    rows: [...above.slice(above.length - rowsAbove), row, ...below.slice(0, rowsBelow)],
    cursorRow: rowsAbove,
    column: columnAt(text.slice(row.start, row.end), cursor - row.start, measure),
    hasMoreAbove: start > 0 || rowsAbove < above.length,
    hasMoreBelow: end < text.length || rowsBelow < below.length,
  };
}

function lineBounds(text: string, at: number): { start: number; end: number } {
  const end = text.indexOf('\n', at);
  return { start: at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1, end: end < 0 ? text.length : end };
}

function placedRows(text: string, line: { start: number; end: number }, measure: RowMeasure): EditorRow[] {
  const rows = rowsOf(text.slice(line.start, line.end), measure);
  return rows.map(({ start, end }) => ({ start: line.start + start, end: line.start + end }));
}

/** The mark before a row: the prompt, or a sign that more rows follow there. */
function mark({ rows, hasMoreAbove, hasMoreBelow }: SeenRows, index: number, { style, width }: Look): string {
  if (promptColumns(width) === 0) return '';
  if (index === 0) return hasMoreAbove ? style.quiet(MORE_ABOVE) : style.user(PROMPT);
  return hasMoreBelow && index === rows.length - 1 ? style.quiet(MORE_BELOW) : INDENT;
}

function rowText(
  row: EditorRow,
  { drawing, measure, look }: { drawing: EditorDrawing; measure: RowMeasure; look: Look },
): string {
  const { text, placeholder, search } = drawing;
  if (text === '') return look.style.quiet(visibleStart(placeholder, measure));
  const match = search?.match ?? null;
  let line = '';
  let run = '';
  let ink: (text: string) => string = (plain) => plain;
  for (const cell of cellsOf(text.slice(row.start, row.end), measure)) {
    const at = row.start + cell.start;
    const isMatch = match !== null && at >= match.start && at < match.end;
    const next = inkOf({ isMatch, isStandIn: cell.isStandIn }, look);
    if (next !== ink) {
      line += run === '' ? '' : ink(run);
      run = '';
      ink = next;
    }
    run += cell.shown;
  }
  return run === '' ? line : line + ink(run);
}

const PLAIN = (text: string): string => text;

function inkOf({ isMatch, isStandIn }: { isMatch: boolean; isStandIn: boolean }, { style }: Look) {
  if (isMatch) return style.match;
  return isStandIn ? style.quiet : PLAIN;
}

function visibleStart(text: string, measure: RowMeasure): string {
  const [first] = rowsOf(text, measure);
  return Array.from(cellsOf(text.slice(0, first?.end ?? 0), measure), ({ shown }) => shown).join('');
}

/** The line of the search query; of a long one the end. */
function searchLine(
  { query, isFailing }: ShownSearch,
  { width, ruler, style }: Look,
): { line: string; column: number } {
  const measure = { columns: Math.max(1, width - 1), ruler, tokens: new Map<string, string>() };
  const text = `${isFailing ? 'nothing earlier has' : 'search'}: ${query}`;
  const row = rowsOf(text, measure).at(-1) ?? { start: 0, end: 0 };
  const cells = Array.from(cellsOf(text.slice(row.start, row.end), measure));
  const line = cells.map(({ shown }) => shown).join('');
  const column = cells.reduce((columns, cell) => columns + cell.columns, 0);
  return { line: isFailing ? style.warning(line) : style.quiet(line), column };
}
