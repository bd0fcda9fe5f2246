import { bufferOf, type Content, contentOf, EMPTY_BUFFER, wholeText } from '../state/buffer.js';
import { type Action, type EditorState, OTHER, only, type WrittenText } from '../state/editor_state.js';
import { movedByRow } from './cursor_moves.js';

/** Up a row, and from the first one to the message before. */
export const up: Action = (state, frame) => only(movedByRow(state, -1, frame) ?? recalled(state, indexOf(state) - 1));

/** Down a row, and from the last one to the message after, at last to the draft. */
export const down: Action = (state, frame) => only(movedByRow(state, 1, frame) ?? recalled(state, indexOf(state) + 1));

/** Goes to a message of the history. What stood in the editor waits where it was, with what can be undone in it. */
export function recalled(state: EditorState, index: number): EditorState {
  const here = indexOf(state);
  if (index === here || index < 0 || index > state.history.length) return { ...state, last: OTHER };
  const { buffer, past, future } = state;
  const left = new Map(state.recall?.left).set(here, { buffer, past, future });
  return { ...state, ...(left.get(index) ?? writtenFrom(state, index)), recall: { index, left }, last: OTHER };
}

/** What is being written and has not been sent: the draft, while one only looks at the messages before it. */
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
