import { bufferOf, type Content, contentOf, EMPTY_BUFFER, wholeText } from '../state/buffer.js';
import { type Action, type EditorState, OTHER, only, type WrittenText } from '../state/editor_state.js';
import { movedByRow } from './cursor_moves.js';

/** Moves up a row; from the first row, to the previous message. What waits to be heard is taken back instead. */
export const up: Action = (state, frame) => {
  const isEmpty = state.buffer.text === '' && state.recall === null;
  if (isEmpty && frame.takesBack) return { state: { ...state, last: OTHER }, effect: { kind: 'take_back' } };
  return only(movedByRow(state, -1, frame) ?? recalled(state, indexOf(state) - 1));
};

/** Moves down a row; from the last row, to the next message and finally the draft. */
export const down: Action = (state, frame) => only(movedByRow(state, 1, frame) ?? recalled(state, indexOf(state) + 1));

/** Shows a message of the history. The text left behind keeps its place and its undo steps. */
export function recalled(state: EditorState, index: number): EditorState {
  const here = indexOf(state);
  if (index === here || index < 0 || index > state.history.length) return { ...state, last: OTHER };
  const { buffer, past, future } = state;
  const left = new Map(state.recall?.left).set(here, { buffer, past, future });
  return { ...state, ...(left.get(index) ?? writtenFrom(state, index)), recall: { index, left }, last: OTHER };
}

/** The unsent text: the draft, also while earlier messages are shown. */
export function unsent({ buffer, history, recall }: EditorState): Content {
  const entry = recall === null ? undefined : history[recall.index];
  const isLookedAt = entry !== undefined && wholeText(buffer) === entry.text;
  return contentOf(isLookedAt ? (recall?.left.get(history.length)?.buffer ?? EMPTY_BUFFER) : buffer);
}

function indexOf({ recall, history }: EditorState): number {
  return recall?.index ?? history.length;
}

function writtenFrom({ history }: EditorState, index: number): WrittenText {
  return { buffer: bufferOf(history[index]?.content ?? []), past: [], future: [] };
}
