import type { Key, KeyPress } from '../editor/keys.js';
import { NONE } from './grown.js';
import { apart } from './rows.js';
import { filtered, folded, foldedAll, moved, type Navigation, type Typing, unfolded } from './state.js';

/** What the navigator cannot do by itself. */
export type NavigatorWish =
  | { kind: 'leave' }
  /** Go to a node; with `edit`, to before it, with its text in the editor. */
  | { kind: 'go'; index: number; edit: boolean }
  | { kind: 'go_to_hit'; node: string; reveal: boolean }
  | { kind: 'search'; query: string }
  | { kind: 'mark'; index: number; name: string }
  | { kind: 'archive'; index: number };

export interface Pressed {
  state: Navigation;
  wish: NavigatorWish | null;
}

const TYPED_LENGTH_MAX = 200;

/** What a key does. `height` is the number of rows that are seen. */
export function pressed(before: Navigation, key: Key, height: number): Pressed {
  const state = { ...before, word: null };
  if (state.help) return stay({ ...state, help: false });
  if (state.typing !== null) return typed(state, state.typing, key);
  if (state.found !== null && state.found.hits.length > 0 && key.kind === 'key') {
    const chosen = inHits(state, key);
    if (chosen !== null) return chosen;
  }
  if (state.apart !== null && isLeaving(key)) return stay({ ...state, apart: null });
  if (key.kind === 'key') return ofKey(state, key, height);
  if (key.kind === 'paste') return stay(state);
  return ofText(state, key.text, height);
}

/** Keys that were pressed quickly come as one text; once a line is begun, the rest belongs to that. */
function ofText(state: Navigation, text: string, height: number): Pressed {
  let at = 0;
  let result = stay(state);
  for (const letter of text) {
    if (result.wish !== null) break;
    if (result.state.typing !== null) return pressed(result.state, { kind: 'text', text: text.slice(at) }, height);
    result = ofLetter(result.state, letter, height);
    at += letter.length;
  }
  return result;
}

function stay(state: Navigation): Pressed {
  return { state, wish: null };
}

function isLeaving(key: Key): boolean {
  return key.kind === 'key' ? key.name === 'escape' || isInterrupt(key) : key.text === 'q' || key.text === 'd';
}

function isInterrupt({ name, ctrl }: KeyPress): boolean {
  return ctrl && (name === 'c' || name === 'd');
}

function ofKey(state: Navigation, key: KeyPress, height: number): Pressed {
  if (isInterrupt(key)) return { state, wish: { kind: 'leave' } };
  if (key.ctrl && key.name === 'f') return stay(moved(state, height - 1));
  if (key.ctrl && key.name === 'b') return stay(moved(state, 1 - height));
  switch (key.name) {
    case 'up':
      return stay(moved(state, -1));
    case 'down':
      return stay(moved(state, 1));
    case 'pageup':
      return stay(moved(state, 1 - height));
    case 'pagedown':
      return stay(moved(state, height - 1));
    case 'home':
      return stay(moved(state, Number.NEGATIVE_INFINITY));
    case 'end':
      return stay(moved(state, Number.POSITIVE_INFINITY));
    case 'left':
      return stay(folded(state));
    case 'right':
      return stay(unfolded(state));
    case 'tab':
      return stay(filtered(state));
    case 'enter':
      return { state, wish: { kind: 'go', index: state.selected, edit: false } };
    case 'escape':
      return state.found === null ? { state, wish: { kind: 'leave' } } : stay({ ...state, found: null });
    default:
      return stay(state);
  }
}

function ofLetter(state: Navigation, letter: string, height: number): Pressed {
  switch (letter) {
    case 'j':
      return stay(moved(state, 1));
    case 'k':
      return stay(moved(state, -1));
    case 'h':
      return stay(folded(state));
    case 'l':
      return stay(unfolded(state));
    case 'g':
      return stay(moved(state, Number.NEGATIVE_INFINITY));
    case 'G':
      return stay(moved(state, Number.POSITIVE_INFINITY));
    case ' ':
      return stay(moved(state, height - 1));
    case 'z':
      return stay(foldedAll(state));
    case 'f':
      return stay(filtered(state));
    case 'p':
      return stay({ ...state, preview: !state.preview });
    case '.':
      return stay({ ...state, selected: state.position });
    case '?':
      return stay({ ...state, help: true });
    case '/':
      return stay({ ...state, typing: { what: 'search', text: '' } });
    case 'm':
      return stay({ ...state, typing: { what: 'mark', text: '' } });
    case 'd':
      return compared(state);
    default:
      return ofWish(state, letter);
  }
}

function ofWish(state: Navigation, letter: string): Pressed {
  const index = state.selected;
  switch (letter) {
    case 'q':
    case 'i':
      return { state, wish: { kind: 'leave' } };
    case 'e':
      if (state.grown.kindOf(index) === 'u') return { state, wish: { kind: 'go', index, edit: true } };
      return stay({ ...state, word: 'Only a message of yours can be taken back into the editor.' });
    case 'x':
      if (state.grown.parentOf(index) !== NONE) return { state, wish: { kind: 'archive', index } };
      return stay({ ...state, word: 'The root cannot be archived; to archive the whole tree: cognition delete' });
    default:
      return stay(state);
  }
}

function compared(state: Navigation): Pressed {
  if (state.selected === state.position) {
    return stay({ ...state, word: 'You stand here. Choose another node to compare it with.' });
  }
  return stay({ ...state, apart: apart(state.grown, state.position, state.selected) });
}

/** While hits are listed the arrows move among them. */
function inHits(state: Navigation, key: KeyPress): Pressed | null {
  const { found } = state;
  const hit = found?.hits[found.selected];
  if (found === null || hit === undefined) return null;
  const select = (selected: number): Pressed =>
    stay({ ...state, found: { ...found, selected: Math.min(Math.max(0, selected), found.hits.length - 1) } });
  switch (key.name) {
    case 'up':
      return select(found.selected - 1);
    case 'down':
      return select(found.selected + 1);
    case 'home':
      return select(0);
    case 'end':
      return select(found.hits.length - 1);
    case 'enter':
      return { state, wish: { kind: 'go_to_hit', node: hit.node, reveal: false } };
    case 'tab':
      return { state, wish: { kind: 'go_to_hit', node: hit.node, reveal: true } };
    default:
      return null;
  }
}

/** A key while a line is typed: a search looks with every letter, a mark is set with Enter. */
function typed(state: Navigation, typing: Typing, key: Key): Pressed {
  if (key.kind !== 'key') return changed(state, { ...typing, text: typing.text + key.text.replace(/\s+/g, ' ') });
  if (isInterrupt(key) || key.name === 'escape') return stay({ ...state, typing: null, found: null });
  if (key.name === 'backspace') {
    if (typing.text === '') return stay({ ...state, typing: null, found: null });
    return changed(state, { ...typing, text: withoutLast(typing.text) });
  }
  if (key.name === 'u' && key.ctrl) return changed(state, { ...typing, text: '' });
  if (key.name === 'enter') return entered(state, typing);
  return (typing.what === 'search' ? inHits(state, key) : null) ?? stay(state);
}

function changed(state: Navigation, typing: Typing): Pressed {
  const next = { ...state, typing: { ...typing, text: typing.text.slice(0, TYPED_LENGTH_MAX) } };
  if (typing.what === 'mark') return stay(next);
  if (typing.text.trim() === '') return stay({ ...next, found: null });
  return { state: next, wish: { kind: 'search', query: typing.text.trim() } };
}

function entered(state: Navigation, typing: Typing): Pressed {
  const { found, selected } = state;
  const next = { ...state, typing: null };
  if (typing.what === 'mark') {
    const name = typing.text.trim();
    return name === '' ? stay(next) : { state: next, wish: { kind: 'mark', index: selected, name } };
  }
  const hit = found?.hits[found.selected];
  return hit === undefined ? stay(next) : { state: next, wish: { kind: 'go_to_hit', node: hit.node, reveal: false } };
}

function withoutLast(text: string): string {
  const pieces = [...new Intl.Segmenter().segment(text)];
  return text.slice(0, pieces.at(-1)?.index ?? 0);
}
