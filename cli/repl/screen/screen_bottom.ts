import type { Look } from '../../render/look/look.js';
import type { EditorDrawing } from '../../render/screens/editor_view.js';
import { editorView } from '../../render/screens/editor_view.js';
import type { LiveBlock } from '../../render/screens/live_block.js';
import { cleanLine } from '../../render/text/clean.js';
import { cut } from '../../render/text/cut.js';
import type { Status } from '../front/front.js';
import { type WorkingFacts, workingRow } from './progress_row.js';
import { statusRow } from './status_row.js';

/** All that stands at the bottom of the screen. */
export interface LiveParts extends WorkingFacts {
  /** What is not finished yet of what is shown. */
  rows: readonly string[];
  editor: EditorDrawing;
  /** A word about the last key; null when there is none. */
  hint: string | null;
}

/** Rows that are left to the chat output. */
const ROWS_LEFT = 2;
const QUEUED_ROWS_MAX = 3;
/** No row is longer, and what waits may be. */
const QUEUED_LENGTH_MAX = 1_000;
const EDITOR_SHARE = 0.5;

/** The live block: what still changes, what waits, what is written, and where one stands. The editor is always in sight. */
export function liveBlock(parts: LiveParts, look: Look, height: number): LiveBlock {
  const { rows, editor, status, hint } = parts;
  const room = Math.max(1, height - ROWS_LEFT);
  const foot =
    room < 3 ? [] : [hint === null ? footOf(status, look) : look.style.quiet(cut(hint, look.width - 1, look))];
  const queued = room < 6 ? [] : queuedRows(status, look);
  const forEditor = Math.max(1, Math.min(room - foot.length, Math.ceil(room * EDITOR_SHARE)));
  const written = editorView(editor, look, forEditor);
  const working = workingRow(parts, look);
  const gap = room < 8 ? [] : [''];
  const fixed = [...gap, ...working, ...queued];
  const left = Math.max(0, room - foot.length - fixed.length - written.lines.length);
  const above = [...(left === 0 ? [] : rows.slice(-left)), ...fixed];
  return {
    lines: [...above, ...written.lines, ...foot],
    cursor: { row: above.length + written.cursor.row, column: written.cursor.column },
  };
}

function queuedRows(status: Status | null, look: Look): string[] {
  const queued = [...(status?.queued ?? []), ...(status?.waiting ?? [])];
  const shown = queued
    .slice(0, QUEUED_ROWS_MAX)
    .map((text) => `  waits: ${cleanLine(text.slice(0, QUEUED_LENGTH_MAX))}`);
  if (queued.length > QUEUED_ROWS_MAX) shown.push(`  and ${queued.length - QUEUED_ROWS_MAX} more`);
  return shown.map((row) => look.style.quiet(cut(row, look.width - 1, look)));
}

function footOf(status: Status | null, look: Look): string {
  // Before a conversation is open there is nothing to tell.
  return status === null || status.tree === '' ? '' : statusRow(status, 'INSERT', look);
}
