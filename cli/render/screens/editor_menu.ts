import type { Look } from '../look/look.js';
import { cellsOf } from './editor_rows.js';

/** A menu of completions. */
export interface ShownMenu {
  items: readonly { label: string; detail: string }[];
  selected: number | null;
  /** The end at which a long label is cut: the end of a path says more than its start. */
  cutAt: 'start' | 'end';
}

const SELECTED = '> ';
const OTHER = '  ';
const GAP = '  ';
// With details beside them labels take no more than this share.
const LABEL_SHARE_MAX = 0.6;

/** Draws so many rows of a menu, the selected one among them. */
export function menuLines({ items, selected, cutAt }: ShownMenu, look: Look, rows: number): string[] {
  const first = Math.max(0, Math.min((selected ?? 0) - Math.floor(rows / 2), items.length - rows));
  const visible = items.slice(first, first + rows);
  const room = Math.max(1, look.width - SELECTED.length - 1);
  const hasDetails = visible.some(({ detail }) => detail !== '');
  const labelRoom = hasDetails ? Math.max(1, Math.floor(room * LABEL_SHARE_MAX)) : room;
  const labels = visible.map(({ label }) => fitted(label, labelRoom, { look, cutAt }));
  const labelColumns = Math.max(0, ...labels.map(({ columns }) => columns));
  return labels.map((label, index) => {
    const isSelected = first + index === selected;
    const detailRoom = room - labelColumns - GAP.length;
    const detail = fitted(visible[index]?.detail ?? '', detailRoom, { look, cutAt: 'end' });
    const blanks = detail.text === '' ? '' : ' '.repeat(labelColumns - label.columns) + GAP;
    const text = isSelected ? look.style.strong(SELECTED + label.text) : OTHER + label.text;
    return withinWidth(text, look) + (detail.text === '' ? '' : blanks + look.style.quiet(detail.text));
  });
}

/** In the narrowest windows there is no room for a menu. */
function withinWidth(text: string, { width }: Look): string {
  return width > SELECTED.length + 1 ? text : '';
}

interface Fitted {
  text: string;
  columns: number;
}

function fitted(text: string, room: number, { look, cutAt }: { look: Look; cutAt: 'start' | 'end' }): Fitted {
  if (room <= 0) return { text: '', columns: 0 };
  const measure = { columns: Math.max(8, room), ruler: look.ruler, tokens: new Map<string, string>() };
  const cells = Array.from(cellsOf(text.slice(0, TEXT_LENGTH_MAX), measure));
  const columns = cells.reduce((sum, cell) => sum + cell.columns, 0);
  const columnsMax = cells.reduce((sum, cell) => sum + cell.columnsMax, 0);
  if (columnsMax <= room) return { text: cells.map(({ shown }) => shown).join(''), columns };
  const end = look.glyphs.ellipsis.slice(0, room);
  const pieces: string[] = [];
  let free = room - end.length;
  let used = end.length;
  for (const cell of cutAt === 'start' ? cells.reverse() : cells) {
    if (cell.columnsMax > free) break;
    free -= cell.columnsMax;
    used += cell.columns;
    pieces.push(cell.shown);
  }
  const cutText = cutAt === 'start' ? end + pieces.reverse().join('') : pieces.join('') + end;
  return { text: cutText, columns: used };
}

// No path and no description is longer.
const TEXT_LENGTH_MAX = 4_096;
