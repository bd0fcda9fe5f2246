import { insertionOf, type Menu, menuAt, stepped } from '../completion/menu.js';
import { triggerAt } from '../completion/trigger.js';
import type { KeyPress } from '../keys/key.js';
import {
  type Action,
  type EditorState,
  edited,
  type Frame,
  MENU_CLOSED,
  only,
  type Step,
} from '../state/editor_state.js';

type OpenMenu = Menu & { kind: 'open' };

/** Completes again, after a source has loaded more candidates. */
export function refreshMenu(state: EditorState, frame: Pick<Frame, 'completion'>): EditorState {
  const { text, cursor } = state.buffer;
  const menu = menuAt(text, cursor, frame.completion);
  const isDismissed =
    menu.kind === 'open' && state.menu.kind === 'closed' && state.menu.dismissedAt === menu.trigger.start;
  return isDismissed ? state : { ...state, menu: withSelection(menu, state.menu) };
}

export function closeMenu(state: EditorState): EditorState {
  if (state.menu.kind === 'closed') return state;
  return { ...state, menu: { kind: 'closed', dismissedAt: state.menu.trigger.start } };
}

/** A menu that Esc closed may open again for another word. */
export function withoutDismissal(state: EditorState): EditorState {
  const { menu, buffer } = state;
  if (menu.kind === 'open' || menu.dismissedAt === null) return state;
  const isThere = triggerAt(buffer.text, buffer.cursor)?.start === menu.dismissedAt;
  return isThere ? state : { ...state, menu: MENU_CLOSED };
}

/** Tab: opens the menu; accepts a single candidate at once. */
export const complete: Action = (state, frame) => {
  const { text, cursor } = state.buffer;
  const menu = menuAt(text, cursor, frame.completion);
  if (menu.kind === 'closed') return { state, effect: { kind: 'tab' } };
  if (menu.items.length === 1) return only(taken(state, { ...menu, selected: 0 }, frame));
  return only({ ...state, menu: { ...menu, selected: 0 } });
};

/** The effect of a key on the open menu; null for keys that the menu does not use. */
export function menuKey(
  state: EditorState,
  menu: OpenMenu,
  { key, frame }: { key: KeyPress; frame: Frame },
): Step | null {
  if (key.alt || (key.shift && key.name !== 'tab')) return null;
  switch (`${key.ctrl ? 'ctrl+' : ''}${key.shift ? 'shift+' : ''}${key.name}`) {
    case 'up':
    case 'ctrl+p':
    case 'shift+tab':
      return only({ ...state, menu: stepped(menu, -1) });
    case 'down':
    case 'ctrl+n':
      return only({ ...state, menu: stepped(menu, 1) });
    case 'tab':
      return only(taken(state, { ...menu, selected: menu.selected ?? 0 }, frame));
    case 'enter':
      return isWritten(state, menu, frame) ? null : only(taken(state, menu, frame));
    case 'escape':
      return only(closeMenu(state));
    default:
      return null;
  }
}

/** Replaces the typed prefix by the selected candidate. After a folder or a command, completion continues. */
function taken(state: EditorState, menu: OpenMenu, frame: Frame): EditorState {
  const candidate = menu.items[menu.selected ?? 0];
  if (candidate === undefined) return state;
  const { trigger } = menu;
  const inserted = insertionOf(trigger, candidate, frame.completion);
  const closed = { ...state, menu: MENU_CLOSED };
  const { text, cursor } = state.buffer;
  // No second space is inserted.
  const end = inserted.endsWith(' ') && text[cursor] === ' ' ? cursor + 1 : cursor;
  const next = edited(closed, { start: trigger.start, end }, inserted);
  return next.buffer.text === state.buffer.text ? next : refreshMenu(next, frame);
}

/** Whether the word is complete, so that Enter sends. */
function isWritten(state: EditorState, { trigger, items, selected }: OpenMenu, frame: Frame): boolean {
  const candidate = selected === null ? undefined : items[selected];
  if (candidate === undefined) return true;
  const written = state.buffer.text.slice(trigger.start, state.buffer.cursor);
  // A slash alone lists the commands and selects none.
  if (trigger.kind === 'command' && written === '/' && selected === 0) return true;
  const whole = insertionOf(trigger, candidate, frame.completion).trimEnd();
  // Command names ignore case.
  return written === whole || (trigger.kind === 'command' && written.toLowerCase() === whole);
}

/** A candidate that a key selected stays selected while it is offered. */
function withSelection(menu: Menu, before: Menu): Menu {
  if (menu.kind === 'closed' || before.kind === 'closed' || before.trigger.start !== menu.trigger.start) return menu;
  const chosen = before.selected === null || before.selected === 0 ? undefined : before.items[before.selected];
  const selected = menu.items.findIndex(({ value }) => value === chosen?.value);
  return selected < 0 ? menu : { ...menu, selected };
}
