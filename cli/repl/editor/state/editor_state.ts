import type { Ruler } from '../../../render/look/ruler.js';
import type { RowMeasure } from '../../../render/screens/editor_rows.js';
import { textColumns } from '../../../render/screens/editor_view.js';
import type { Completion, Menu } from '../completion/menu.js';
import { type Buffer, type Content, type Edit, EMPTY_BUFFER, replace, textOfContent } from './buffer.js';
import { tokenLabel, tokenOf } from './paste_tokens.js';

/** All that the editor knows. It changes only by `press` and the few functions that give a new one. */
export interface EditorState {
  buffer: Buffer;
  /** Messages that were sent, the oldest first. */
  history: readonly HistoryEntry[];
  past: readonly Edit[];
  future: readonly Edit[];
  kills: readonly Content[];
  /** What the last key did, where the next one goes on with it. */
  last: Last;
  recall: Recall | null;
  search: Search | null;
  menu: Menu;
  /** Whether Ctrl-X was pressed, and a second key makes a command of it. */
  isPrefixed: boolean;
  /** Whether a paste has been coming in for so long that one should be told. */
  isPasting: boolean;
}

export interface HistoryEntry {
  content: Content;
  text: string;
}

/** Keys that go on with what the one before did: typing is undone as one, kills are put together, arrows keep a column. */
export type Last =
  | { kind: 'typing' | 'killing' | 'other' }
  | { kind: 'vertical'; column: number }
  | { kind: 'yank'; start: number; index: number };

/** Which entry of the history is shown, and what was left behind on the way: by index, the draft under the length. */
export interface Recall {
  index: number;
  left: ReadonlyMap<number, WrittenText>;
}

/** A text with what can be undone in it. */
export type WrittenText = Pick<EditorState, 'buffer' | 'past' | 'future'>;

/** A search backwards through the history. */
export interface Search {
  query: string;
  /** Which entry is shown; null before one is found. */
  found: number | null;
  /** Whether the whole query occurs in no (further) entry. */
  isFailing: boolean;
}

/** What is around the editor when a key is pressed. */
export interface Frame {
  /** Columns of the editor, its prompt included. */
  width: number;
  ruler: Ruler;
  /** What Alt-Enter does: while a turn runs a message may wait for its end. */
  altEnter: 'newline' | 'queue';
  completion: Completion;
}

/** What somebody else has to do about a key. */
export type Effect =
  | { kind: 'submit'; how: 'now' | 'queue'; text: string; content: Content }
  | { kind: 'interrupt'; cleared: boolean }
  | { kind: 'leave' | 'escape' | 'edit_outside' | 'expand' | 'redraw' | 'suspend' | 'switch_mode' | 'tab' }
  | { kind: 'page'; by: -1 | 1 };

export interface Step {
  state: EditorState;
  effect: Effect | null;
}

/** What one key does. */
export type Action = (state: EditorState, frame: Frame) => Step;

export const OTHER: Last = { kind: 'other' };
export const MENU_CLOSED: Menu = { kind: 'closed', dismissedAt: null };

// More edits than anybody takes back; the oldest are forgotten.
const EDITS_MAX = 1_000;

/** An empty editor with these messages to go back to, the oldest first. */
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

/** Replaces a range, which can be undone. */
export function edited(state: EditorState, range: { start: number; end: number }, inserted: string): EditorState {
  const { buffer, edit } = replace(state.buffer, range, inserted);
  if (edit.removed === '' && edit.inserted === '') return { ...state, last: OTHER };
  return { ...state, buffer, past: [...state.past.slice(1 - EDITS_MAX), edit], future: [], last: OTHER };
}

export function movedTo(state: EditorState, cursor: number): EditorState {
  return { ...state, buffer: { ...state.buffer, cursor }, last: OTHER };
}

/** How the text is cut into rows: the same for the keys that move by rows and for the drawing. */
export function measureOf({ buffer }: EditorState, { width, ruler }: Pick<Frame, 'width' | 'ruler'>): RowMeasure {
  return { columns: textColumns(width), ruler, tokens: tokenLabels(buffer) };
}

export function tokenLabels({ pastes }: Buffer): ReadonlyMap<string, string> {
  return new Map(pastes.map((paste, index) => [tokenOf(index), tokenLabel(paste)]));
}
