import type { Key, KeyPress } from '../editor/keys/key_decoder.js';
import { stepsOf } from './cursor_steps.js';
import { apart } from './listed_nodes.js';
import {
  filtered,
  folded,
  foldedAll,
  moved,
  type Navigation,
  revealed,
  type SearchFound,
  type Typing,
  unfolded,
} from './navigator_state.js';
import { NONE } from './tree_shape.js';

/** What the navigator cannot do by itself. */
export type NavigatorAction =
  | { kind: 'leave' }
  /** Go to a node; with `edit`, to before it, with its text in the editor. */
  | { kind: 'go'; index: number; edit: boolean }
  | { kind: 'go_to_hit'; node: string }
  /** Show one of what was found in the tree. */
  | { kind: 'reveal'; found: SearchFound }
  | { kind: 'search'; query: string }
  | { kind: 'mark'; index: number; name: string }
  | { kind: 'archive'; index: number }
  /** Take that back. */
  | { kind: 'restore'; index: number };

export interface Pressed {
  state: Navigation;
  wish: NavigatorAction | null;
}

const TYPED_LENGTH_MAX = 200;
/** More than the keys take in the narrowest window. */
const HELP_ROWS_MAX = 40;

/** What a key does. `height` is the number of rows that are seen. */
export function pressed(before: Navigation, key: Key, height: number): Pressed {
  const state = { ...before, word: null };
  if (state.help !== null) return stay({ ...state, help: helpAfter(state.help, key, height) });
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

/** The keys are scrolled like the tree; any other key brings that back. */
function helpAfter(first: number, key: Key, height: number): number | null {
  const steps = stepsOf(key, height);
  if (steps === null || !Number.isFinite(steps)) return null;
  return Math.min(Math.max(0, first + steps), HELP_ROWS_MAX);
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
  const steps = stepsOf(key, height);
  if (steps !== null) return stay(moved(state, steps));
  switch (key.name) {
    case 'left':
      return stay(folded(state));
    case 'right':
      return stay(unfolded(state));
    case 'tab':
      return stay(filtered(state));
    case 'enter':
      return onChosen(state, (index) => ({ state, wish: { kind: 'go', index, edit: false } }));
    case 'escape':
      return state.found === null ? { state, wish: { kind: 'leave' } } : stay({ ...state, found: null });
    default:
      return stay(state);
  }
}

function ofLetter(state: Navigation, letter: string, height: number): Pressed {
  const steps = stepsOf({ kind: 'text', text: letter }, height);
  if (steps !== null) return stay(moved(state, steps));
  switch (letter) {
    case 'h':
      return stay(folded(state));
    case 'l':
      return stay(unfolded(state));
    case 'z':
      return stay(foldedAll(state));
    case 'f':
      return stay(filtered(state));
    case 'p':
      return stay({ ...state, preview: !state.preview });
    case '.':
      return stay(atPosition(state));
    case '?':
      return stay({ ...state, help: 0 });
    case '/':
      return stay({ ...state, typing: { what: 'search', text: '', awaited: null } });
    case 'm':
      return onChosen(state, () => stay({ ...state, typing: { what: 'mark', text: '', awaited: null } }));
    case 'd':
      return onChosen(state, () => compared(state));
    case 'n':
      return nextFound(state, 1);
    case 'N':
      return nextFound(state, -1);
    default:
      return pressedAction(state, letter);
  }
}

function pressedAction(state: Navigation, letter: string): Pressed {
  switch (letter) {
    case 'q':
    case 'i':
      return { state, wish: { kind: 'leave' } };
    case 'e':
      return onChosen(state, (index) => takenBack(state, index));
    case 'x':
      return onChosen(state, (index) => archived(state, index));
    default:
      return stay(state);
  }
}

/** What a key does with the chosen node, where there is one. */
function onChosen(state: Navigation, act: (index: number) => Pressed): Pressed {
  return state.selected === NONE
    ? stay({ ...state, word: 'Nothing is chosen: nothing is listed.' })
    : act(state.selected);
}

function takenBack(state: Navigation, index: number): Pressed {
  if (state.grown.kindOf(index) === 'u') return { state, wish: { kind: 'go', index, edit: true } };
  return stay({ ...state, word: 'Only a message of yours can be taken back into the editor.' });
}

function archived(state: Navigation, index: number): Pressed {
  if (state.grown.isArchived(index)) return { state, wish: { kind: 'restore', index } };
  if (state.grown.parentOf(index) !== NONE) return { state, wish: { kind: 'archive', index } };
  return stay({ ...state, word: 'The root cannot be archived; to archive the whole tree: cognition delete' });
}

const HIDDEN = 'Where you stand is in an archived branch.';

function atPosition(state: Navigation): Navigation {
  return state.position === NONE ? { ...state, word: HIDDEN } : revealed(state, state.position);
}

/** The hit after the one that is shown in the tree; after the last comes the first. */
function nextFound(state: Navigation, step: number): Pressed {
  const { trail } = state;
  if (trail === null)
    return stay({ ...state, word: 'Nothing was found yet: / searches, Tab shows a hit in the tree.' });
  const count = trail.hits.length;
  return { state, wish: { kind: 'reveal', found: { ...trail, selected: (trail.selected + step + count) % count } } };
}

function compared(state: Navigation): Pressed {
  if (state.position === NONE) return stay({ ...state, word: HIDDEN });
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
      return { state, wish: { kind: 'go_to_hit', node: hit.node } };
    case 'tab':
      return { state, wish: { kind: 'reveal', found } };
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
  if (typing.what === 'search' && isAhead(state, typing)) return whenFound(state, typing, key);
  if (key.name === 'enter') return entered(state, typing);
  return (typing.what === 'search' ? inHits(state, key) : null) ?? stay(state);
}

/** Whether what is typed has not been looked for yet: hits that are listed are those of fewer letters. */
function isAhead({ found }: Navigation, { text }: Typing): boolean {
  return text.trim() !== '' && found?.query !== text.trim();
}

function whenFound(state: Navigation, typing: Typing, { name }: KeyPress): Pressed {
  if (name !== 'enter' && name !== 'tab') return stay(state);
  return stay({ ...state, typing: { ...typing, awaited: name === 'enter' ? 'go_to_hit' : 'reveal' } });
}

function changed(state: Navigation, typing: Typing): Pressed {
  const next = { ...state, typing: { ...typing, text: typing.text.slice(0, TYPED_LENGTH_MAX), awaited: null } };
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
  return hit === undefined ? stay(next) : { state: next, wish: { kind: 'go_to_hit', node: hit.node } };
}

function withoutLast(text: string): string {
  const pieces = [...new Intl.Segmenter().segment(text)];
  return text.slice(0, pieces.at(-1)?.index ?? 0);
}
