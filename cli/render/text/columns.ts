import type { Look } from '../look/look.js';
import type { Ruler } from '../look/ruler.js';
import { pad } from './cut.js';

/** Sets rows in columns so many blanks apart. The last column is never padded, so that no line is wider than its text. */
export function columns(rows: readonly (readonly string[])[], look: Look, gap = 2): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, look.ruler.width(cell));
    }
  }
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : pad(cell, widths[column] ?? 0, look.ruler)))
      .join(' '.repeat(gap))
      .trimEnd(),
  );
}

/** The columns of the widest text. */
export function widest(texts: readonly string[], ruler: Ruler): number {
  return texts.reduce((most, text) => Math.max(most, ruler.width(text)), 0);
}
