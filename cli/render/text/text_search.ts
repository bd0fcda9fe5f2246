import type { Style } from '../look/style.js';
import { INK_END, type Ink, inkAfter, inkParts, NO_INK, withoutInk } from './colour_runs.js';
import { type TextRow, textOfRows } from './wrap_words.js';

/** Part of a row that stands out, in characters of its text without colours. */
export interface RowMark {
  start: number;
  end: number;
  /** Whether it belongs to the hit where one is. */
  isCurrent: boolean;
}

/** A place in rows where what was searched for stands: in one row, or over several. */
export interface TextHit {
  /** The row it begins in. */
  row: number;
  parts: readonly (Pick<RowMark, 'start' | 'end'> & { row: number })[];
}

/** More of one text are not told apart. */
const HITS_MAX = 10_000;
const CAPITAL = /\p{Lu}/u;
const SYNTAX = /[\\^$.*+?()[\]{}|/-]/g;
// What is written between words, and by markdown only.
const LOOSE = /[\s*_`~\\#>|()[\]!+-]+/g;

/** What a person means by what they search for: capitals count once one is written; blanks stand for any gap. */
export function searchPattern(query: string): RegExp {
  const words = query.split(/\s+/).map((word) => [...new Intl.Segmenter().segment(word)].map(eitherForm).join(''));
  // No hit ends within what is one sign to a reader.
  const source = `(?<!\\u200d)${words.join('\\s+')}(?![\\p{M}\\u200d])`;
  return new RegExp(source, CAPITAL.test(query) ? 'gu' : 'giu');
}

/** An accent may be a part of its letter or a sign of its own. */
function eitherForm({ segment }: { segment: string }): string {
  const [joined, apart] = [segment.normalize('NFC'), segment.normalize('NFD')];
  const forms = [...new Set([joined, apart, segment])].map((form) => form.toWellFormed().replace(SYNTAX, escaped));
  return forms.length === 1 ? (forms[0] ?? '') : `(?:${forms.join('|')})`;
}

function escaped(sign: string): string {
  return sign === '-' ? '\\u002d' : `\\${sign}`;
}

/** A text without what its drawing may leave out: what is not in this cannot be in the drawing either. */
export function loosened(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(LOOSE, '');
}

/** Where in the rows of a text a pattern is found. */
export function hitsIn(rows: readonly TextRow[], pattern: RegExp): TextHit[] {
  const starts: number[] = [];
  let length = 0;
  for (const row of rows) {
    starts.push(length);
    length += withoutInk(row.text).length - row.indent + row.joint.length;
  }
  const hits: TextHit[] = [];
  let row = 0;
  for (const match of textOfRows(rows).matchAll(pattern)) {
    if (match[0] === '') continue;
    while (row + 1 < rows.length && (starts[row + 1] ?? 0) <= match.index) row += 1;
    hits.push({
      row,
      parts: partsOf({ start: match.index, end: match.index + match[0].length }, row, { rows, starts }),
    });
    if (hits.length === HITS_MAX) break;
  }
  return hits;
}

interface PlacedRows {
  rows: readonly TextRow[];
  /** Where each begins in the text. */
  starts: readonly number[];
}

function partsOf(hit: { start: number; end: number }, first: number, { rows, starts }: PlacedRows): TextHit['parts'] {
  const parts: { row: number; start: number; end: number }[] = [];
  for (let row = first; row < rows.length && (starts[row] ?? 0) < hit.end; row += 1) {
    const { text = '', indent = 0 } = rows[row] ?? {};
    const from = (starts[row] ?? 0) - indent;
    const [start, end] = [Math.max(indent, hit.start - from), Math.min(withoutInk(text).length, hit.end - from)];
    if (start < end) parts.push({ row, start, end });
  }
  return parts;
}

/** A row with what stands out in it. Without colours the place where one is stands in brackets. */
export function markedRow(row: string, marks: readonly RowMark[], style: Style): string {
  if (marks.length === 0) return row;
  return style.match('x') === 'x' ? bracketed(row, marks) : inked(row, marks, style);
}

/** A blank beside it gives its place to a bracket, so that the row gets no longer where that can be helped. */
function bracketed(row: string, marks: readonly RowMark[]): string {
  const current = marks.find(({ isCurrent }) => isCurrent);
  if (current === undefined) return row;
  const before = row.slice(0, current.start);
  const after = row.slice(current.end);
  const isLoose = before.endsWith(' ') && before.trim() !== '';
  return `${isLoose ? before.slice(0, -1) : before}[${row.slice(current.start, current.end)}]${after.replace(/^ /, '')}`;
}

function inked(row: string, marks: readonly RowMark[], style: Style): string {
  let drawn = '';
  let at = 0;
  let ink: Ink = NO_INK;
  for (const { text, isInk } of inkParts(row)) {
    if (isInk) {
      ink = inkAfter(ink, text);
      drawn += text;
      continue;
    }
    let from = 0;
    for (const { start, end, isCurrent } of marks) {
      const [first, last] = [Math.max(from, start - at), Math.min(text.length, end - at)];
      if (first >= last) continue;
      const hit = style.match(text.slice(first, last));
      // Its own colours would end those of the row.
      drawn += text.slice(from, first) + (isCurrent ? style.here(hit) + INK_END + ink.join('') : hit);
      from = last;
    }
    drawn += text.slice(from);
    at += text.length;
  }
  return drawn;
}
