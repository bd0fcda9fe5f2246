import type { Ruler } from '../../../render/look/ruler.js';
import type { RowMeasure } from '../../../render/screens/editor_rows.js';
import { textColumns } from '../../../render/screens/editor_view.js';
import type { Completion, Menu } from '../completion/menu.js';
import { type Buffer, type Content, type Edit, EMPTY_BUFFER, replace, textOfContent } from './buffer.js';
import { tokenLabel, tokenOf } from './paste_tokens.js';

/** The whole state of the editor. Immutable: `press` and a few functions return a new one. */
export interface EditorState {
  buffer: Buffer;
  /** Messages that were sent, the oldest first. */
  history: readonly HistoryEntry[];
  past: readonly Edit[];
  future: readonly Edit[];
  kills: readonly Content[];
  /** What the last key did, where the next one continues it. */
  last: Last;
  recall: Recall | null;
  search: Search | null;
  menu: Menu;
  /** Whether Ctrl-X was pressed, the first key of a two-key command. */
  isPrefixed: boolean;
  /** Whether a paste takes so long that a notice is shown. */
  isPasting: boolean;
}

export interface HistoryEntry {
  content: Content;
  text: string;
}

/** Actions that the next key continues: typing is undone as one, kills are joined, arrows keep a column. */
export type Last =
  | { kind: 'typing' | 'killing' | 'other' }
  | { kind: 'vertical'; column: number }
  | { kind: 'yank'; start: number; index: number };

/** The history entry shown, and the edited texts left on the way: by index, the draft at `history.length`. */
export interface Recall {
  index: number;
  left: ReadonlyMap<number, WrittenText>;
}

/** A text with its undo stack. */
export type WrittenText = Pick<EditorState, 'buffer' | 'past' | 'future'>;

/** A search backwards through the history. */
export interface Search {
  query: string;
  /** Which entry is shown; null before one is found. */
  found: number | null;
  /** Whether the whole query occurs in no (further) entry. */
  isFailing: boolean;
}

/** The surroundings of the editor when a key is pressed. */
export interface Frame {
  /** Columns of the editor, its prompt included. */
  width: number;
  ruler: Ruler;
  /** What Alt-Enter does: while a turn runs a message may wait for its end. */
  altEnter: 'newline' | 'queue';
  /** Whether something waits that Up takes back while nothing is written. */
  takesBack: boolean;
  completion: Completion;
}

/** What the caller of `press` has to do. */
export type Effect =
  | { kind: 'submit'; how: 'now' | 'queue'; text: string; content: Content }
  | { kind: 'interrupt'; cleared: boolean }
  | {
      kind: 'leave' | 'escape' | 'take_back' | 'edit_outside' | 'expand' | 'redraw' | 'suspend' | 'switch_mode' | 'tab';
    }
  | { kind: 'page'; by: -1 | 1 };

export interface Step {
  state: EditorState;
  effect: Effect | null;
}

/** What one key does. */
export type Action = (state: EditorState, frame: Frame) => Step;

export const OTHER: Last = { kind: 'other' };
export const MENU_CLOSED: Menu = { kind: 'closed', dismissedAt: null };

// More edits than anybody undoes; the oldest are dropped.
const EDITS_MAX = 1_000;

/** An empty editor with a history, the oldest message first. */
export function newEditor(history: readonly Content[] = []): EditorState {
  return {
    buffer: EMPTY_BUFFER,
    history: history.map(entryOf),
    past: [],
    future: [],
    kills: [],
    last: OTHER,
    recall: null,
    search: null,
    menu: MENU_CLOSED,
    isPrefixed: false,
    isPasting: false,
  };
}

export function entryOf(content: Content): HistoryEntry {
  return { content, text: textOfContent(content) };
}

export function only(state: EditorState): Step {
  return { state, effect: null };
}

/** Replaces a range, as an undoable edit. */
export function edited(state: EditorState, range: { start: number; end: number }, inserted: string): EditorState {
  const { buffer, edit } = replace(state.buffer, range, inserted);
  if (edit.removed === '' && edit.inserted === '') return { ...state, last: OTHER };
  return { ...state, buffer, past: [...state.past.slice(1 - EDITS_MAX), edit], future: [], last: OTHER };
}

export function movedTo(state: EditorState, cursor: number): EditorState {
  return { ...state, buffer: { ...state.buffer, cursor }, last: OTHER };
}

/** How the text wraps into rows, for keys that move by rows and for drawing alike. */
export function measureOf({ buffer }: EditorState, { width, ruler }: Pick<Frame, 'width' | 'ruler'>): RowMeasure {
  return { columns: textColumns(width), ruler, tokens: tokenLabels(buffer) };
}

export function tokenLabels({ pastes }: Buffer): ReadonlyMap<string, string> {
  return new Map(pastes.map((paste, index) => [tokenOf(index), tokenLabel(paste)]));
}
