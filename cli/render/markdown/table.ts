import { widest } from '../columns.js';
import { cut, pad } from '../cut.js';
import { clipLine } from '../live_block.js';
import type { Look } from '../look.js';
import { renderInline } from './inline.js';

/** A table as it was written. */
export interface TableText {
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

type Drawn = Pick<Look, 'width' | 'style' | 'ruler' | 'glyphs'>;

const GAP = '  ';
const CELL_COLUMNS_MIN = 6;

/** In columns where they fit, the widest made narrower if that is enough; else each row as a few lines. */
export function renderTable({ header, rows }: TableText, look: Drawn): string[] {
  const head = header.map((cell) => oneLine(cell, look));
  const body = rows.map((row) => head.map((_, place) => oneLine(row[place] ?? '', look)));
  const natural = head.map((_, place) =>
    widest(
      [head, ...body].map((row) => row[place] ?? ''),
      look.ruler,
    ),
  );
  const widths = fitted(natural, look.width - 1 - GAP.length * (head.length - 1));
  if (widths === null) return stacked(head, body, look);
  const draw = (row: readonly string[]): string =>
    row
      .map((cell, place) => cellOf(cell, widths[place] ?? 0, look))
      .join(GAP)
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join(GAP);
  return [look.style.strong(draw(head)), look.style.quiet(rule), ...body.map(draw)];
}

function oneLine(cell: string, look: Drawn): string {
  return renderInline(cell, look.style).replace(/\s+/g, ' ').trim();
}

/** Narrows the widest columns until all fit; null when they would become too narrow to read. */
function fitted(natural: readonly number[], room: number): number[] | null {
  const total = natural.reduce((sum, width) => sum + width, 0);
  if (total <= room) return [...natural];
  let fair = Math.floor(room / natural.length);
  const narrow = natural.filter((width) => width <= fair);
  const left = room - narrow.reduce((sum, width) => sum + width, 0);
  fair = Math.floor(left / Math.max(1, natural.length - narrow.length));
  return fair < CELL_COLUMNS_MIN ? null : natural.map((width) => Math.min(width, Math.max(fair, CELL_COLUMNS_MIN)));
}

function cellOf(cell: string, width: number, look: Drawn): string {
  const wide = look.ruler.width(cell);
  if (wide <= width) return pad(cell, width, look.ruler);
  const clipped = cell.includes('\x1b')
    ? clipLine(cell, width - look.glyphs.ellipsis.length, look.ruler) + look.glyphs.ellipsis
    : cut(cell, width, look);
  return pad(clipped, width, look.ruler);
}

function stacked(head: readonly string[], body: readonly (readonly string[])[], look: Drawn): string[] {
  return body.flatMap((row, number) => [
    ...(number === 0 ? [] : ['']),
    ...row.map((cell, place) => `${look.style.strong(`${head[place] ?? ''}:`)} ${cell}`.trimEnd()),
  ]);
}
