import { type Content, insertable, pasted, tokensOf } from '../state/buffer.js';
import { type Action, type EditorState, edited, MENU_CLOSED, movedTo, only } from '../state/editor_state.js';
import { signAfter, signBefore } from '../state/graphemes.js';
import { isHuge, isLarge } from '../state/paste_tokens.js';
import { droppedImages } from './dropped_images.js';

const BLANK = /\s/;

/** Inserts typed text. Undo takes back a typed word at once. */
export function typed(state: EditorState, text: string): EditorState {
  // Without bracketed paste, a paste arrives as typed text.
  if (isLarge(text)) return pastedInto(state, text);
  const { cursor } = state.buffer;
  const next = edited(state, { start: cursor, end: cursor }, insertable(text));
  return { ...next, past: state.last.kind === 'typing' ? joinedPast(next) : next.past, last: { kind: 'typing' } };
}

/** Inserts a paste; a large one becomes a single placeholder character. */
function pastedInto(state: EditorState, paste: string): EditorState {
  const { inserted, pastes } = pasted(state.buffer, paste);
  const { cursor } = state.buffer;
  return edited({ ...state, buffer: { ...state.buffer, pastes } }, { start: cursor, end: cursor }, inserted);
}

/** Inserts a paste; paths of dropped images become attachments, and undo restores the paths. */
export function droppedInto(state: EditorState, paste: string, exists: (path: string) => boolean): EditorState {
  const next = pastedInto(state, paste);
  const images = droppedImages(paste, exists);
  if (images === null) return next;
  const { text, cursor: start } = state.buffer;
  const gap = start === 0 || BLANK.test(text[start - 1] ?? '') ? '' : ' ';
  return edited(next, { start, end: next.buffer.cursor }, gap + images);
}

/** Inserts a text at the start, to be read and changed, and keeps the cursor where the person types. */
export function putBefore(state: EditorState, text: string): EditorState {
  const { text: written, cursor } = state.buffer;
  const given = written === '' ? text : `${text}\n`;
  const { inserted, pastes } = isHuge(given)
    ? pasted(state.buffer, given)
    : { inserted: insertable(given), pastes: state.buffer.pastes };
  const next = edited({ ...state, buffer: { ...state.buffer, pastes } }, { start: 0, end: 0 }, inserted);
  return { ...movedTo(next, next.buffer.cursor + cursor), menu: MENU_CLOSED };
}

/** Replaces the whole text by a message. */
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

/** Swaps the characters around the cursor; at the end, the last two. */
export const transpose: Action = (state) => {
  const { text, cursor } = state.buffer;
  const middle = cursor === text.length ? signBefore(text, cursor) : cursor;
  const start = signBefore(text, middle);
  const end = signAfter(text, middle);
  if (start === middle || middle === end) return only(state);
  return only(edited(state, { start, end }, text.slice(middle, end) + text.slice(start, middle)));
};

/** Merges the last two undo steps when both typed into the same word. */
function joinedPast({ past }: EditorState): EditorState['past'] {
  const [first, second] = past.slice(-2);
  if (first === undefined || second === undefined || second.removed !== '') return past;
  if (first.at + first.inserted.length !== second.at) return past;
  if (BLANK.test(first.inserted.at(-1) ?? '') && !BLANK.test(second.inserted)) return past;
  return [...past.slice(0, -2), { ...first, inserted: first.inserted + second.inserted }];
}
