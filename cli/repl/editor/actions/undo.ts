import { redone, undone } from '../state/buffer.js';
import { type Action, OTHER, only } from '../state/editor_state.js';

export const undo: Action = (state) => {
  const edit = state.past.at(-1);
  if (edit === undefined) return only(state);
  const buffer = undone(state.buffer, edit);
  return only({ ...state, buffer, past: state.past.slice(0, -1), future: [...state.future, edit], last: OTHER });
};

export const redo: Action = (state) => {
  const edit = state.future.at(-1);
  if (edit === undefined) return only(state);
  const buffer = redone(state.buffer, edit);
  return only({ ...state, buffer, past: [...state.past, edit], future: state.future.slice(0, -1), last: OTHER });
};
