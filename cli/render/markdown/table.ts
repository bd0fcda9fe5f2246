import type { Look } from '../look/look.js';
import { widest } from '../text/columns.js';
import { wrapWords } from '../text/wrap_words.js';
import { renderInline } from './inline.js';

/** A table as it was written. */
export interface TableText {
  header: readonly string[];
  rows: readonly (readonly string[])[];
  /** The alignment of each column. */
  sides: readonly Side[];
}

export type Side = 'left' | 'right';

type Drawn = Pick<Look, 'width' | 'style' | 'ruler' | 'glyphs'>;

interface Column {
  width: number;
  side: Side;
}

const GAP = '  ';
/** Narrower columns are harder to read than a line for each cell. */
const COLUMN_WIDTH_MIN = 10;

/** Draws columns if they fit, else narrows the widest and wraps their cells; where that is too narrow, one line per cell. */
export function renderTable({ header, rows, sides }: TableText, look: Drawn): string[] {
  const head = header.map((cell) => oneLine(cell, look));
  const body = rows.map((row) => head.map((_, index) => oneLine(row[index] ?? '', look)));
  const natural = head.map((_, index) =>
    widest(
      [head, ...body].map((row) => row[index] ?? ''),
      look.ruler,
    ),
  );
  const widths = fitted(natural, look.width - 1 - GAP.length * (head.length - 1));
  if (widths === null) return stacked(head, body, look);
  const columns = widths.map((width, index) => ({ width, side: sides[index] ?? 'left' }));
  const drawn = body.map((row) => drawRow(row, columns, look));
  const isTall = drawn.some((lines) => lines.length > 1);
  return [
    ...drawRow(head, columns, look).map((line) => look.style.strong(line)),
    look.style.quiet(widths.map((width) => '-'.repeat(width)).join(GAP)),
    // The end of a row would not be visible otherwise.
    ...drawn.flatMap((lines, number) => (isTall && number > 0 ? ['', ...lines] : lines)),
  ];
}

function oneLine(cell: string, look: Drawn): string {
  return renderInline(cell, look.style).replace(/\s+/g, ' ').trim();
}

/** Narrows the widest columns until all fit; null when they would become too narrow to read. */
function fitted(natural: readonly number[], room: number): number[] | null {
  const total = natural.reduce((sum, width) => sum + width, 0);
  if (total <= room) return [...natural];
  let narrow: readonly number[] = [];
  for (;;) {
    const free = room - narrow.reduce((sum, width) => sum + width, 0);
    const fair = Math.floor(free / (natural.length - narrow.length));
    const narrower = natural.filter((width) => width <= fair);
    if (narrower.length === narrow.length) {
      return fair < COLUMN_WIDTH_MIN ? null : natural.map((width) => Math.min(width, fair));
    }
    narrow = narrower;
  }
}

/** Cells are wrapped in their columns, never cut. */
function drawRow(row: readonly string[], columns: readonly Column[], { ruler }: Drawn): string[] {
  const cells = columns.map(({ width }, index) => {
    const cell = row[index] ?? '';
    return ruler.width(cell) <= width ? [cell] : wrapWords(cell, width, ruler).map(({ text }) => text);
  });
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((column, index) => beside(cells[index]?.[line] ?? '', column, ruler))
      .join(GAP)
      .trimEnd(),
  );
}

function beside(text: string, { width, side }: Column, ruler: Look['ruler']): string {
  const free = ' '.repeat(Math.max(0, width - ruler.width(text)));
  return side === 'right' ? free + text : text + free;
}

function stacked(head: readonly string[], body: readonly (readonly string[])[], look: Drawn): string[] {
  if (body.length === 0) return head.map((cell) => look.style.strong(cell));
  return body.flatMap((row, number) => [
    ...(number === 0 ? [] : ['']),
    ...row.map((cell, index) => `${look.style.strong(`${head[index] ?? ''}:`)} ${cell}`.trimEnd()),
  ]);
}
