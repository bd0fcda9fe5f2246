import { NONE } from '../../web/page/core/node_table.js';
import { answerOf, confirmationOf } from '../editor/keys/confirmation.js';
import type { Key, KeyPress } from '../editor/keys/key.js';
import { stepsOf } from './cursor_steps.js';
import { compareNodes } from './listed_nodes.js';
import {
  type ConfirmedAction,
  folded,
  foldedAll,
  moved,
  type Navigation,
  revealed,
  type SearchResults,
  type Typing,
  unfolded,
  withNextFilter,
} from './navigator_state.js';

/** What a key asks for that needs the hub, or ends the navigator. */
export type NavigatorAction =
  | { kind: 'leave' }
  /** The key means nothing here: it is the text of a message. */
  | { kind: 'text' }
  /** Go to a node. */
  | { kind: 'go'; index: number }
  | { kind: 'go_to_hit'; node: string }
  /** Show one of the results in the tree. */
  | { kind: 'reveal'; results: SearchResults }
  | { kind: 'search'; query: string }
  | { kind: 'mark'; index: number; name: string }
  | ConfirmedAction;

export interface KeyOutcome {
  state: Navigation;
  action: NavigatorAction | null;
}

const TYPED_LENGTH_MAX = 200;
/** More than the keys take in the narrowest window. */
const HELP_ROWS_MAX = 40;

/** The effect of a key; letters never act by themselves. `height` is the number of visible rows. */
export function pressKey(before: Navigation, key: Key, height: number): KeyOutcome {
  const state = { ...before, message: null };
  if (state.help !== null) return stay({ ...state, help: helpAfter(state.help, key, height) });
  if (state.typing !== null) return typingKey(state, state.typing, key);
  if (state.asking !== null) return answered({ ...state, asking: null }, state.asking, key);
  if (state.results !== null && state.results.hits.length > 0 && key.kind === 'key') {
    const outcome = hitKey(state, key);
    if (outcome !== null) return outcome;
  }
  if (state.comparison !== null && isLeaving(key)) return stay({ ...state, comparison: null });
  if (key.kind === 'key') return ofKey(state, key, height);
  if (key.kind === 'paste') return asText(state);
  return ofText(state, key.text, height);
}

/** The list of keys scrolls like the tree; any other key goes back to the tree. */
function helpAfter(first: number, key: Key, height: number): number | null {
  const steps = stepsOf(key, height);
  if (steps === null || !Number.isFinite(steps)) return null;
  return Math.min(Math.max(0, first + steps), HELP_ROWS_MAX);
}

/** Keys that were pressed quickly come as one text; once a line is being typed, the rest belongs to it. */
function ofText(state: Navigation, text: string, height: number): KeyOutcome {
  let at = 0;
  let result = stay(state);
  for (const letter of text) {
    if (result.action !== null) break;
    if (result.state.typing !== null) return pressKey(result.state, { kind: 'text', text: text.slice(at) }, height);
    const key = { kind: 'text' as const, text: letter };
    result =
      result.state.asking === null ? ofLetter(result.state, letter, height) : pressKey(result.state, key, height);
    at += letter.length;
  }
  return result;
}

function stay(state: Navigation): KeyOutcome {
  return { state, action: null };
}

function asText(state: Navigation): KeyOutcome {
  return { state, action: { kind: 'text' } };
}

function ask(state: Navigation, question: string, action: ConfirmedAction): KeyOutcome {
  return stay({ ...state, asking: confirmationOf(question, action) });
}

function answered(state: Navigation, asking: NonNullable<Navigation['asking']>, key: Key): KeyOutcome {
  switch (answerOf(asking, key)) {
    case 'yes':
      return { state, action: asking.action };
    case 'no':
      return stay(state);
    case 'too_early':
      return stay({ ...state, asking });
    case 'text':
      return asText(state);
  }
}

function isLeaving(key: Key): boolean {
  return key.kind === 'key' ? key.name === 'escape' || isInterrupt(key) : key.text === 'q' || key.text === 'd';
}

function isInterrupt({ name, ctrl }: KeyPress): boolean {
  return ctrl && (name === 'c' || name === 'd');
}

function ofKey(state: Navigation, key: KeyPress, height: number): KeyOutcome {
  if (isInterrupt(key)) return { state, action: { kind: 'leave' } };
  const steps = stepsOf(key, height);
  if (steps !== null) return stay(moved(state, steps));
  switch (key.name) {
    case 'left':
      return stay(folded(state));
    case 'right':
      return stay(unfolded(state));
    case 'tab':
      return stay(withNextFilter(state));
    case 'enter':
      return onSelected(state, (index) => ({ state, action: { kind: 'go', index } }));
    case 'escape':
      return state.results === null ? { state, action: { kind: 'leave' } } : stay({ ...state, results: null });
    default:
      return stay(state);
  }
}

function ofLetter(state: Navigation, letter: string, height: number): KeyOutcome {
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
      return stay(withNextFilter(state));
    case 'p':
      return stay({ ...state, preview: !state.preview });
    case '.':
      return stay(atPosition(state));
    case '?':
      return stay({ ...state, help: 0 });
    case '/':
      return stay({ ...state, typing: { purpose: 'search', text: '', awaited: null } });
    case 'm':
      return onSelected(state, () => stay({ ...state, typing: { purpose: 'mark', text: '', awaited: null } }));
    case 'd':
      return onSelected(state, () => startComparison(state));
    case 'n':
      return nextResult(state, 1);
    case 'N':
      return nextResult(state, -1);
    default:
      return actionLetter(state, letter);
  }
}

function actionLetter(state: Navigation, letter: string): KeyOutcome {
  switch (letter) {
    case 'q':
    case 'i':
      return { state, action: { kind: 'leave' } };
    case 'e':
      return onSelected(state, (index) => editMessage(state, index));
    case 'x':
      return onSelected(state, (index) => toggleArchived(state, index));
    default:
      return asText(state);
  }
}

/** An effect on the selected node, if there is one. */
function onSelected(state: Navigation, act: (index: number) => KeyOutcome): KeyOutcome {
  return state.selected === NONE
    ? stay({ ...state, message: 'Nothing is chosen: nothing is listed.' })
    : act(state.selected);
}

function editMessage(state: Navigation, index: number): KeyOutcome {
  if (state.shape.kindOf(index) === 'u') return ask(state, 'Go there and say it otherwise?', { kind: 'edit', index });
  return stay({ ...state, message: 'Only a message of yours can be taken back into the editor.' });
}

function toggleArchived(state: Navigation, index: number): KeyOutcome {
  if (state.shape.isArchived(index)) return ask(state, 'Take it out of the archive?', { kind: 'restore', index });
  if (state.shape.parentOf(index) !== NONE) return ask(state, 'Archive this branch?', { kind: 'archive', index });
  return stay({ ...state, message: 'The root cannot be archived; to archive the whole tree: cognition delete' });
}

const HIDDEN = 'Where you stand is in an archived branch.';

function atPosition(state: Navigation): Navigation {
  return state.position === NONE ? { ...state, message: HIDDEN } : revealed(state, state.position);
}

/** The result after or before the one that is shown in the tree, in a circle. */
function nextResult(state: Navigation, step: number): KeyOutcome {
  const { lastResults } = state;
  if (lastResults === null)
    return stay({ ...state, message: 'Nothing was found yet: / searches, Tab shows a hit in the tree.' });
  const count = lastResults.hits.length;
  return {
    state,
    action: { kind: 'reveal', results: { ...lastResults, selected: (lastResults.selected + step + count) % count } },
  };
}

function startComparison(state: Navigation): KeyOutcome {
  if (state.position === NONE) return stay({ ...state, message: HIDDEN });
  if (state.selected === state.position) {
    return stay({ ...state, message: 'You stand here. Choose another node to compare it with.' });
  }
  return stay({ ...state, comparison: compareNodes(state.shape, state.position, state.selected) });
}

/** While hits are listed the arrows move among them. */
function hitKey(state: Navigation, key: KeyPress): KeyOutcome | null {
  const { results } = state;
  const hit = results?.hits[results.selected];
  if (results === null || hit === undefined) return null;
  const select = (selected: number): KeyOutcome =>
    stay({ ...state, results: { ...results, selected: Math.min(Math.max(0, selected), results.hits.length - 1) } });
  switch (key.name) {
    case 'up':
      return select(results.selected - 1);
    case 'down':
      return select(results.selected + 1);
    case 'home':
      return select(0);
    case 'end':
      return select(results.hits.length - 1);
    case 'enter':
      return { state, action: { kind: 'go_to_hit', node: hit.node } };
    case 'tab':
      return { state, action: { kind: 'reveal', results } };
    default:
      return null;
  }
}

/** A key while a line is typed: a search looks with every letter, a mark is set with Enter. */
function typingKey(state: Navigation, typing: Typing, key: Key): KeyOutcome {
  if (key.kind !== 'key') return withTypedText(state, { ...typing, text: typing.text + key.text.replace(/\s+/g, ' ') });
  if (isInterrupt(key) || key.name === 'escape') return stay({ ...state, typing: null, results: null });
  if (key.name === 'backspace') {
    if (typing.text === '') return stay({ ...state, typing: null, results: null });
    return withTypedText(state, { ...typing, text: withoutLast(typing.text) });
  }
  if (key.name === 'u' && key.ctrl) return withTypedText(state, { ...typing, text: '' });
  if (typing.purpose === 'search' && isUnsearched(state, typing)) return awaitResults(state, typing, key);
  if (key.name === 'enter') return submitTyped(state, typing);
  return (typing.purpose === 'search' ? hitKey(state, key) : null) ?? stay(state);
}

/** Whether the listed hits are those of an earlier query. */
function isUnsearched({ results }: Navigation, { text }: Typing): boolean {
  return text.trim() !== '' && results?.query !== text.trim();
}

function awaitResults(state: Navigation, typing: Typing, { name }: KeyPress): KeyOutcome {
  if (name !== 'enter' && name !== 'tab') return stay(state);
  return stay({ ...state, typing: { ...typing, awaited: name === 'enter' ? 'go_to_hit' : 'reveal' } });
}

function withTypedText(state: Navigation, typing: Typing): KeyOutcome {
  const next = { ...state, typing: { ...typing, text: typing.text.slice(0, TYPED_LENGTH_MAX), awaited: null } };
  if (typing.purpose === 'mark') return stay(next);
  if (typing.text.trim() === '') return stay({ ...next, results: null });
  return { state: next, action: { kind: 'search', query: typing.text.trim() } };
}

function submitTyped(state: Navigation, typing: Typing): KeyOutcome {
  const { results, selected } = state;
  const next = { ...state, typing: null };
  if (typing.purpose === 'mark') {
    const name = typing.text.trim();
    return name === '' ? stay(next) : { state: next, action: { kind: 'mark', index: selected, name } };
  }
  const hit = results?.hits[results.selected];
  return hit === undefined ? stay(next) : { state: next, action: { kind: 'go_to_hit', node: hit.node } };
}

function withoutLast(text: string): string {
  const pieces = [...new Intl.Segmenter().segment(text)];
  return text.slice(0, pieces.at(-1)?.index ?? 0);
}
