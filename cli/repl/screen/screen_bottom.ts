import type { Look } from '../../render/look/look.js';
import type { EditorDrawing } from '../../render/screens/editor_view.js';
import { editorView } from '../../render/screens/editor_view.js';
import type { LiveBlock } from '../../render/screens/live_block.js';
import { cleanLine } from '../../render/text/clean.js';
import { cut } from '../../render/text/cut.js';
import type { Status } from '../front/front.js';
import { type WorkingFacts, workingRow } from './progress_row.js';
import { statusRow } from './status_row.js';

/** The parts of the bottom of the screen. */
export interface LiveParts extends WorkingFacts {
  /** The unfinished part of the output. */
  rows: readonly string[];
  editor: EditorDrawing;
  /** A message about the last key; null for none. */
  hint: string | null;
}

/** The rows kept free for chat output. */
const ROWS_LEFT = 2;
const CARRIED_ON = 'It goes on below where you stand: Tab follows. What you write is a branch.';
const BOARD_SHARE = 0.4;
const QUEUED_ROWS_MAX = 3;
/** Queued lines are cut here: no row is longer. */
const QUEUED_LENGTH_MAX = 1_000;
const EDITOR_SHARE = 0.5;
/** Heard after the current step, or when the turn has ended. */
const LABELS = { steer: 'steers', after: 'queued' } as const;
const TAKE_BACK = '  (Up takes it back)';
const TAIL_COLUMNS_MIN = 50;

/** The live block: unfinished output, queued lines, editor and status. The editor is always visible. */
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
  const board = boardRows(status, look, Math.floor(room * BOARD_SHARE));
  const fixed = [...gap, ...board, ...working, ...queued];
  const left = Math.max(0, room - foot.length - fixed.length - written.lines.length);
  const above = [...(left === 0 ? [] : rows.slice(-left)), ...fixed];
  return {
    lines: [...above, ...written.lines, ...foot],
    cursor: { row: above.length + written.cursor.row, column: written.cursor.column },
  };
}

function boardRows(status: Status | null, look: Look, most: number): string[] {
  const rows = (status?.board ?? []).map((row) => cut(row, look.width - 1, look));
  return rows.length <= most ? rows : [...rows.slice(0, Math.max(0, most - 1)), look.style.quiet('  more: /race')];
}

function queuedRows(status: Status | null, look: Look): string[] {
  const inputs = (status?.queued ?? []).map(({ text, kind }) => ({ text, label: LABELS[kind] }));
  const queued = [...inputs, ...(status?.waiting ?? []).map((text) => ({ text, label: 'waits' }))];
  const rows = queued
    .slice(0, QUEUED_ROWS_MAX)
    .map(({ text, label }) => `  ${label}: ${cleanLine(text.slice(0, QUEUED_LENGTH_MAX))}`);
  if (queued.length > QUEUED_ROWS_MAX) rows.push(`  and ${queued.length - QUEUED_ROWS_MAX} more`);
  return rows.map((row, at) => {
    // What another hub has been told stays told.
    const hasTail = at === rows.length - 1 && look.width >= TAIL_COLUMNS_MIN && status?.atHub == null;
    const tail = hasTail ? TAKE_BACK : '';
    return look.style.quiet(cut(row, look.width - 1 - tail.length, look) + tail);
  });
}

function footOf(status: Status | null, look: Look): string {
  // Without an open conversation there is no status.
  if (status === null || status.tree === '') return '';
  if (status.atHub !== null && status.turn === null)
    return look.style.warning(
      cut(`What you write goes to ${status.atHub}'s hub. A branch: /fork`, look.width - 1, look),
    );
  return status.isCarriedOn
    ? look.style.warning(cut(CARRIED_ON, look.width - 1, look))
    : statusRow(status, 'INSERT', look);
}
