import {
  columnAt,
  type EditorRow,
  offsetAt,
  type RowMeasure,
  rowAt,
  rowsOf,
} from '../../../render/screens/editor_rows.js';
import { type Action, type EditorState, type Frame, measureOf, movedTo, only } from '../state/editor_state.js';
import { boundaryAt, lineAt, signAfter, signBefore } from '../state/graphemes.js';
import { wordAfter, wordBefore } from '../state/words.js';

type Place = (text: string, at: number) => number;

/** A key that moves the cursor. */
function moving(place: Place): Action {
  return (state) => only(movedTo(state, place(state.buffer.text, state.buffer.cursor)));
}

export const lineStart: Place = (text, at) => lineAt(text, at).start;
export const lineEnd: Place = (text, at) => lineAt(text, at).end;

export const left = moving(signBefore);
export const right = moving(signAfter);
export const leftByWord = moving(wordBefore);
export const rightByWord = moving(wordAfter);
export const toLineStart = moving(lineStart);
export const toLineEnd = moving(lineEnd);
export const toStart = moving(() => 0);
export const toEnd = moving((text) => text.length);

/** Moves up or down by screen rows; null at the first or last row. */
export function movedByRow(state: EditorState, by: -1 | 1, frame: Frame): EditorState | null {
  const { text, cursor } = state.buffer;
  const measure = measureOf(state, frame);
  const here = rowsAround(text, cursor, measure);
  const index = rowAt(here.rows, cursor - here.start);
  const column = state.last.kind === 'vertical' ? state.last.column : columnIn(here, index, { text, cursor, measure });
  const target = neighbour(here, index + by, { text, measure });
  if (target === null) return null;
  const { row, start, isLast } = target;
  const shown = text.slice(start + row.start, start + row.end);
  const offset = offsetAt(shown, column, measure);
  // A wrapped row ends where the next one begins.
  const within = offset === shown.length && !isLast ? signBefore(shown, shown.length) : offset;
  const place = boundaryAt(text, start + row.start + within);
  return { ...movedTo(state, place), last: { kind: 'vertical', column } };
}

interface Line {
  start: number;
  end: number;
  rows: EditorRow[];
}

function rowsAround(text: string, at: number, measure: RowMeasure): Line {
  const { start, end } = lineAt(text, at);
  return { start, end, rows: rowsOf(text.slice(start, end), measure) };
}

function columnIn(
  { start, rows }: Line,
  index: number,
  { text, cursor, measure }: { text: string; cursor: number; measure: RowMeasure },
): number {
  const row = rows[index] ?? { start: 0, end: 0 };
  return columnAt(text.slice(start + row.start, start + row.end), cursor - start - row.start, measure);
}

function neighbour(
  line: Line,
  index: number,
  { text, measure }: { text: string; measure: RowMeasure },
): { row: EditorRow; start: number; isLast: boolean } | null {
  const row = line.rows[index];
  if (row !== undefined) return { row, start: line.start, isLast: index === line.rows.length - 1 };
  if (index < 0 ? line.start === 0 : line.end === text.length) return null;
  const next = rowsAround(text, index < 0 ? line.start - 1 : line.end + 1, measure);
  const found = index < 0 ? next.rows.at(-1) : next.rows[0];
  return found === undefined ? null : { row: found, start: next.start, isLast: index < 0 || next.rows.length === 1 };
}
