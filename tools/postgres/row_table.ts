import type { QueryResult } from './query_session.js';
import type { Cell } from './row_lines.js';

const CELL_LENGTH_MAX = 80;
const WIDTH_MAX = 200;
const ROWS_MAX = 200;
const BYTES_MAX = 16 * 1024;

/** Draws rows for a model: a table, or one line for each value where a table would be too wide. */
export function renderTable(result: QueryResult, readAll: string): string {
  const { columns, rows } = result;
  const names = columns.map((name) => cellText(name).text);
  const cells = rows.slice(0, ROWS_MAX).map((row) => columns.map((_, at) => shownCell(row[at] ?? null)));
  const texts = cells.map((row) => row.map(({ text }) => text));
  const widths = names.map((name, at) => Math.max(length(name), ...texts.map((row) => length(row[at] ?? ''))));
  const isWide = widths.reduce((sum, width) => sum + width + 3, 0) > WIDTH_MAX;
  const parts = isWide ? recordParts(names, texts) : gridParts(names, texts, widths);
  const visible = countFitting(parts.entries);
  const entries = parts.entries.slice(0, visible);
  const lines = [...parts.head, ...entries.map(bounded), ''];
  const isCut =
    entries.some((entry) => bounded(entry) !== entry) ||
    cells.slice(0, visible).some((row) => row.some((cell) => cell.isCut));
  return `${lines.join('\n')}${remarks(result, { kept: visible, isCut, readAll })}`.trimStart();
}

function remarks(result: QueryResult, shown: { kept: number; isCut: boolean; readAll: string }): string {
  const { rows, cut } = result;
  const count = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`;
  const why = cut === 'rows' ? 'there are more' : 'there are more: the limit of bytes is reached';
  const parts = [cut === null ? `(${count})` : `(the first ${count}; ${why})`];
  if (shown.kept < rows.length) parts.push(`(${rows.length - shown.kept} of them are not shown)`);
  if (shown.isCut) parts.push(`(values of more than ${CELL_LENGTH_MAX} characters are cut, and very long rows)`);
  if (parts.length > 1) parts.push(`(all of it: ${shown.readAll})`);
  return parts.join('\n');
}

interface TableParts {
  head: string[];
  /** One text for each row. */
  entries: string[];
}

function gridParts(names: string[], rows: string[][], widths: number[]): TableParts {
  const line = (cells: string[]): string => cells.map((cell, at) => padded(cell, widths[at] ?? 0)).join(' | ');
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-');
  return { head: [line(names).trimEnd(), rule], entries: rows.map((row) => line(row).trimEnd()) };
}

function recordParts(names: string[], rows: string[][]): TableParts {
  const width = Math.max(...names.map(length));
  const line = (name: string, cell: string | undefined): string => `  ${padded(name, width)} | ${cell ?? ''}`;
  return {
    head: [],
    entries: rows.map((row, at) => [`row ${at + 1}`, ...names.map((name, of) => line(name, row[of]))].join('\n')),
  };
}

/** How many entries fit the budget; always one, when there is any. */
function countFitting(entries: string[]): number {
  let bytes = 0;
  const over = entries.findIndex((entry) => {
    bytes += Buffer.byteLength(entry) + 1;
    return bytes > BYTES_MAX;
  });
  return over < 0 ? entries.length : Math.max(1, over);
}

/** A single row may have more columns than fit. */
function bounded(entry: string): string {
  return entry.length <= BYTES_MAX ? entry : `${entry.slice(0, entry.lastIndexOf('\n', BYTES_MAX))}\n…`;
}

interface ShownCell {
  text: string;
  isCut: boolean;
}

/** SQL's NULL is a bare word; the same word as a text, and the empty text, stand in quotes. */
function shownCell(value: Cell): ShownCell {
  if (value === null) return { text: 'NULL', isCut: false };
  return value === '' || value === 'NULL' ? { text: `"${value}"`, isCut: false } : cellText(value);
}

/** On one line, and of bounded length. */
function cellText(value: string): ShownCell {
  const start = [...value.slice(0, 2 * CELL_LENGTH_MAX + 2)];
  const isCut = start.length > CELL_LENGTH_MAX;
  const kept = isCut ? `${start.slice(0, CELL_LENGTH_MAX - 1).join('')}…` : value;
  return { text: kept.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, escaped), isCut };
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0x7f ? `\\u${code.toString(16).padStart(4, '0')}` : JSON.stringify(character).slice(1, -1);
}

function length(text: string): number {
  return [...text].length;
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - length(text)));
}
