import type { LiveBlock } from '../../render/screens/live_block.js';
import { CLEAR_SCREEN, CLEAR_TO_LINE_END, HIDE_CURSOR, SHOW_CURSOR, toColumn, toRow } from './sequences.js';

/** The bytes that turn one whole screen into another; `before` is null when its content is unknown. */
export function paintScreen(before: LiveBlock | null, next: LiveBlock): string {
  let bytes = HIDE_CURSOR + (before === null ? CLEAR_SCREEN : '');
  const rows = Math.max(before?.lines.length ?? 0, next.lines.length);
  for (let row = 0; row < rows; row += 1) {
    const line = next.lines[row] ?? '';
    if (line !== (before?.lines[row] ?? '')) bytes += toRow(row) + line + CLEAR_TO_LINE_END;
  }
  return next.cursor === null ? bytes : bytes + toRow(next.cursor.row) + toColumn(next.cursor.column) + SHOW_CURSOR;
}
