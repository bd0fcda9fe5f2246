import { type Content, insertable, pasted, tokensOf } from '../state/buffer.js';
import { type Action, type EditorState, edited, MENU_CLOSED, movedTo, only } from '../state/editor_state.js';
import { signAfter, signBefore } from '../state/graphemes.js';
import { isLarge } from '../state/paste_tokens.js';
import { droppedImages } from './dropped_images.js';

const BLANK = /\s/;

/** Inserts what was typed. Letters typed in a row are undone as one word. */
export function typed(state: EditorState, text: string): EditorState {
  // A terminal that does not mark pastes sends them as if they were typed.
  if (isLarge(text)) return pastedInto(state, text);
  const { cursor } = state.buffer;
  const next = edited(state, { start: cursor, end: cursor }, insertable(text));
  return { ...next, past: state.last.kind === 'typing' ? joinedPast(next) : next.past, last: { kind: 'typing' } };
}

/** Inserts a paste: a large one as one sign. */
function pastedInto(state: EditorState, paste: string): EditorState {
  const { inserted, pastes } = pasted(state.buffer, paste);
  const { cursor } = state.buffer;
  return edited({ ...state, buffer: { ...state.buffer, pastes } }, { start: cursor, end: cursor }, inserted);
}

/** Inserts a paste, and where it names images that were dropped, what a message says for them; undo gives the paste. */
export function droppedInto(state: EditorState, paste: string, exists: (path: string) => boolean): EditorState {
  const next = pastedInto(state, paste);
  const images = droppedImages(paste, exists);
  if (images === null) return next;
  const { text, cursor: start } = state.buffer;
  const gap = start === 0 || BLANK.test(text[start - 1] ?? '') ? '' : ' ';
  return edited(next, { start, end: next.buffer.cursor }, gap + images);
}

/** Puts a text before all that is written; whoever is writing goes on where they are. */
export function putBefore(state: EditorState, text: string): EditorState {
  const { text: written, cursor } = state.buffer;
  const { inserted, pastes } = pasted(state.buffer, written === '' ? text : `${text}\n`);
  const next = edited({ ...state, buffer: { ...state.buffer, pastes } }, { start: 0, end: 0 }, inserted);
  return { ...movedTo(next, next.buffer.cursor + cursor), menu: MENU_CLOSED };
}

/** Puts a message in the place of all that is written. */
export function putInstead(state: EditorState, content: Content): EditorState {
  const { inserted, pastes } = tokensOf(content, state.buffer.pastes);
  const whole = { start: 0, end: state.buffer.text.length };
  const next = edited({ ...state, buffer: { ...state.buffer, pastes } }, whole, inserted);
  return { ...next, menu: MENU_CLOSED };
}

export const newline: Action = (state) => {
  const { cursor } = state.buffer;
  return only(edited(state, { start: cursor, end: cursor }, '\n'));
};

export const deleteBefore: Action = (state) => {
  const { text, cursor } = state.buffer;
  return only(edited(state, { start: signBefore(text, cursor), end: cursor }, ''));
};

export const deleteAfter: Action = (state) => {
  const { text, cursor } = state.buffer;
  return only(edited(state, { start: cursor, end: signAfter(text, cursor) }, ''));
};

/** Swaps the signs around the cursor, at the end the last two. */
export const transpose: Action = (state) => {
  const { text, cursor } = state.buffer;
  const middle = cursor === text.length ? signBefore(text, cursor) : cursor;
  const start = signBefore(text, middle);
  const end = signAfter(text, middle);
  if (start === middle || middle === end) return only(state);
  return only(edited(state, { start, end }, text.slice(middle, end) + text.slice(start, middle)));
};

/** The past with its last two edits as one, when the second one goes on with the word of the first one. */
function joinedPast({ past }: EditorState): EditorState['past'] {
  const [first, second] = past.slice(-2);
  if (first === undefined || second === undefined || second.removed !== '') return past;
  if (first.at + first.inserted.length !== second.at) return past;
  if (BLANK.test(first.inserted.at(-1) ?? '') && !BLANK.test(second.inserted)) return past;
  return [...past.slice(0, -2), { ...first, inserted: first.inserted + second.inserted }];
}
