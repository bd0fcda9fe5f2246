import { contentOf, EMPTY_BUFFER, wholeText } from '../state/buffer.js';
import {
  type Action,
  type EditorState,
  edited,
  entryOf,
  MENU_CLOSED,
  movedTo,
  OTHER,
  only,
  type Step,
  type WrittenText,
} from '../state/editor_state.js';
import { isKept } from '../storage/history.js';
import { newline, putInstead } from './insert_text.js';

const NOTHING_WRITTEN: WrittenText = { buffer: EMPTY_BUFFER, past: [], future: [] };

/** Enter: sends the message; after a backslash, begins a new line. */
export const enter: Action = (state) => {
  const { text, cursor } = state.buffer;
  const slashes = /\\*$/.exec(text.slice(Math.max(0, cursor - 100), cursor))?.[0].length ?? 0;
  const isLineEnd = cursor === text.length || text[cursor] === '\n';
  if (isLineEnd && slashes % 2 === 1) return only(edited(state, { start: cursor - 1, end: cursor }, '\n'));
  return submit(state, 'now');
};

export const altEnter: Action = (state, frame) =>
  frame.altEnter === 'queue' ? submit(state, 'queue') : newline(state, frame);

/** Ctrl-C: clears the text; undo restores it. */
export const interrupt: Action = (state) => {
  const cleared = state.buffer.text !== '';
  return { state: cleared ? clearedOf(state) : state, effect: { kind: 'interrupt', cleared } };
};

function submit(state: EditorState, how: 'now' | 'queue'): Step {
  const content = contentOf(state.buffer);
  const text = wholeText(state.buffer);
  if (text.trim() === '') return only({ ...state, menu: MENU_CLOSED });
  const history = isKept(text, state.history.at(-1)?.text) ? [...state.history, entryOf(content)] : state.history;
  const next = { ...state, ...draftOf(state), history, recall: null, menu: MENU_CLOSED, last: OTHER };
  return { state: next, effect: { kind: 'submit', how, text, content } };
}

function clearedOf(state: EditorState): EditorState {
  const { recall, history, buffer } = state;
  const isDraft = recall === null || recall.index === history.length;
  const next = isDraft ? edited(state, { start: 0, end: buffer.text.length }, '') : backAtDraft(state);
  return { ...next, recall: null, menu: MENU_CLOSED, last: OTHER };
}

/** The draft replaces a message of the history, as one edit. */
function backAtDraft(state: EditorState): EditorState {
  const { buffer, past, future } = draftOf(state);
  const whole = putInstead({ ...state, buffer, past, future }, contentOf(state.buffer));
  const back = edited(whole, { start: 0, end: whole.buffer.text.length }, buffer.text);
  return movedTo(back, buffer.cursor);
}

/** The draft that waits after a message of the history. */
function draftOf({ recall, history }: EditorState): WrittenText {
  const isDraft = recall === null || recall.index === history.length;
  return isDraft ? NOTHING_WRITTEN : (recall.left.get(history.length) ?? NOTHING_WRITTEN);
}
