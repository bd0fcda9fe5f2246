import {
  left,
  leftByWord,
  right,
  rightByWord,
  toEnd,
  toLineEnd,
  toLineStart,
  toStart,
} from './actions/cursor_moves.js';
import { down, up } from './actions/history_keys.js';
import { accepted, searchKey, searchText, startSearch } from './actions/history_search.js';
import { deleteAfter, deleteBefore, droppedInto, newline, transpose, typed } from './actions/insert_text.js';
import {
  killRunBefore,
  killToLineEnd,
  killToLineStart,
  killWordAfter,
  killWordBefore,
  yank,
  yankEarlier,
} from './actions/kill_ring.js';
import { closeMenu, complete, menuKey, refreshMenu, withoutDismissal } from './actions/menu_actions.js';
import { altEnter, enter, interrupt } from './actions/submit.js';
import { redo, undo } from './actions/undo.js';
import type { Key, KeyPress } from './keys/key.js';
import {
  type Action,
  type EditorState,
  type Effect,
  type Frame,
  OTHER,
  only,
  type Step,
} from './state/editor_state.js';

/** The state after a key, and the effect that the caller has to perform. */
export function press(state: EditorState, key: Key, frame: Frame): Step {
  if (key.kind !== 'key') return only(inserted(state, key, frame));
  if (state.search !== null) {
    const searching = searchKey(state, state.search, key);
    if (searching !== null) return only(searching);
    return press(accepted(state, state.search), key, frame);
  }
  if (state.isPrefixed) {
    const action = AFTER_PREFIX[nameOf(key)] ?? only;
    return acted({ ...state, isPrefixed: false }, action, frame);
  }
  if (state.menu.kind === 'open') {
    const step = menuKey(state, state.menu, { key, frame });
    if (step !== null) return step;
  }
  return acted(state, actionOf(key), frame);
}

function inserted(state: EditorState, key: Exclude<Key, KeyPress>, frame: Frame): EditorState {
  if (state.search !== null) return searchText(state, state.search, key.text);
  const { exists = () => false } = frame.completion;
  const next = key.kind === 'text' ? typed(state, key.text) : droppedInto(state, key.text, exists);
  return refreshMenu({ ...next, isPrefixed: false }, frame);
}

/** Refreshes the menu when the text changed, and closes it when only the cursor moved. */
function acted(state: EditorState, action: Action, frame: Frame): Step {
  const step = action(state, frame);
  const { buffer, menu } = step.state;
  if (menu.kind === 'closed') return { ...step, state: withoutDismissal(step.state) };
  if (menu !== state.menu) return step;
  if (buffer.text !== state.buffer.text) return { ...step, state: refreshMenu(step.state, frame) };
  return buffer.cursor === state.buffer.cursor ? step : { ...step, state: closeMenu(step.state) };
}

function telling(effect: Effect): Action {
  return (state) => ({ state: { ...state, last: OTHER }, effect });
}

const deleteOrLeave: Action = (state, frame) =>
  state.buffer.text === '' ? { state, effect: { kind: 'leave' } } : deleteAfter(state, frame);

// With Shift, other editors select; here these keys only move.
const MOVES = new Set(['left', 'right', 'up', 'down', 'home', 'end', 'delete']);

/** The action of a key; Shift is ignored where it has no binding and no text would be lost. */
function actionOf(key: KeyPress): Action {
  const action = ACTIONS[nameOf(key)];
  if (action !== undefined || !key.shift) return action ?? only;
  const isLetter = key.alt && !key.ctrl && key.name.length === 1;
  return isLetter || MOVES.has(key.name) ? (ACTIONS[nameOf({ ...key, shift: false })] ?? only) : only;
}

function nameOf({ name, ctrl, alt, shift }: KeyPress): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`;
}

const AFTER_PREFIX: Record<string, Action> = {
  'ctrl+u': undo,
  'ctrl+r': redo,
  'ctrl+e': telling({ kind: 'edit_outside' }),
};

const ACTIONS: Record<string, Action> = {
  left,
  right,
  up,
  down,
  'ctrl+b': left,
  'ctrl+f': right,
  'ctrl+p': up,
  'ctrl+n': down,
  home: toLineStart,
  end: toLineEnd,
  'ctrl+a': toLineStart,
  'ctrl+e': toLineEnd,
  'ctrl+home': toStart,
  'ctrl+end': toEnd,
  'alt+<': toStart,
  'alt+>': toEnd,
  'alt+b': leftByWord,
  'alt+f': rightByWord,
  'alt+left': leftByWord,
  'alt+right': rightByWord,
  'ctrl+left': leftByWord,
  'ctrl+right': rightByWord,
  backspace: deleteBefore,
  'shift+backspace': deleteBefore,
  'ctrl+h': deleteBefore,
  delete: deleteAfter,
  'ctrl+d': deleteOrLeave,
  'ctrl+t': transpose,
  'ctrl+w': killRunBefore,
  'ctrl+backspace': killWordBefore,
  'alt+backspace': killWordBefore,
  'alt+d': killWordAfter,
  'alt+delete': killWordAfter,
  'ctrl+delete': killWordAfter,
  'ctrl+u': killToLineStart,
  'ctrl+k': killToLineEnd,
  'ctrl+y': yank,
  'alt+y': yankEarlier,
  'ctrl+_': undo,
  'ctrl+/': undo,
  'ctrl+-': undo,
  'alt+_': redo,
  'alt+z': redo,
  enter,
  'ctrl+enter': enter,
  'alt+enter': altEnter,
  'shift+enter': newline,
  'ctrl+j': newline,
  tab: complete,
  'ctrl+r': startSearch,
  'ctrl+x': (state) => only({ ...state, isPrefixed: true }),
  'ctrl+c': interrupt,
  'ctrl+g': telling({ kind: 'edit_outside' }),
  'ctrl+o': telling({ kind: 'expand' }),
  'ctrl+l': telling({ kind: 'redraw' }),
  'ctrl+z': telling({ kind: 'suspend' }),
  'shift+tab': telling({ kind: 'switch_mode' }),
  escape: telling({ kind: 'escape' }),
  pageup: telling({ kind: 'page', by: -1 }),
  pagedown: telling({ kind: 'page', by: 1 }),
};
