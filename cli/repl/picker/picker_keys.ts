import { answerOf, confirmationOf } from '../editor/keys/confirmation.js';
import type { Key, KeyPress } from '../editor/keys/key.js';
import { stepsOf } from '../navigator/cursor_steps.js';
import { type PickedTree, type Picking, withOtherList, withQuery } from './picker_state.js';

/** What a key asks for that needs the hub, or ends the list. */
export type PickerAction =
  | { kind: 'leave' }
  | { kind: 'choose'; choice: PickedTree }
  /** What is typed has changed. */
  | { kind: 'search' }
  /** The other list is to be read. */
  | { kind: 'read' };

export interface PickerOutcome {
  state: Picking;
  action: PickerAction | null;
}

/** What a key needs to know besides the list. */
export interface PickerKeyParts {
  height: number;
  /** The folder of a conversation, where that is not the one that the person is in. */
  elsewhere(tree: Picking['listed'][number]): string | null;
}

const QUERY_LENGTH_MAX = 200;

/** The effect of a key; letters belong to what is searched for. */
export function pressPickerKey(before: Picking, key: Key, parts: PickerKeyParts): PickerOutcome {
  const { asking } = before;
  const state = { ...before, message: null, asking: null };
  if (asking !== null) {
    const answer = answerOf(asking, key);
    if (answer === 'yes') return { state, action: { kind: 'choose', choice: asking.action } };
    if (answer === 'too_early') return stay({ ...state, asking });
    if (answer === 'no') return stay(state);
  }
  if (key.kind === 'key') return pressNamed(state, key, parts);
  const typed = state.query + key.text.replace(/[\s\p{Cc}]+/gu, ' ');
  return searched(state, typed.slice(0, QUERY_LENGTH_MAX));
}

function pressNamed(state: Picking, key: KeyPress, parts: PickerKeyParts): PickerOutcome {
  const { name, ctrl } = key;
  if (ctrl && (name === 'c' || name === 'd')) return { state, action: { kind: 'leave' } };
  if (ctrl && name === 'u') return searched(state, '');
  if (ctrl && name === 'w') return searched(state, state.query.replace(/\S*\s*$/, ''));
  const steps = stepsOf(key, parts.height) ?? (ctrl ? LETTER_STEPS[name] : undefined);
  if (steps !== undefined) return stay(moved(state, steps));
  switch (name) {
    case 'enter':
      return chosen(state, parts);
    case 'tab':
      return { state: withOtherList(state), action: { kind: 'read' } };
    case 'backspace':
      return searched(state, withoutLast(state.query));
    case 'escape':
      return state.query === '' ? { state, action: { kind: 'leave' } } : searched(state, '');
    default:
      return stay(state);
  }
}

const LETTER_STEPS: Readonly<Record<string, number>> = { n: 1, p: -1 };

function stay(state: Picking): PickerOutcome {
  return { state, action: null };
}

function moved(state: Picking, steps: number): Picking {
  return { ...state, selected: Math.max(0, Math.min(state.selected + steps, state.listed.length - 1)) };
}

function searched(state: Picking, query: string): PickerOutcome {
  return query === state.query ? stay(state) : { state: withQuery(state, query), action: { kind: 'search' } };
}

/** Whoever goes on elsewhere, or takes one out of the archive, is asked first. */
function chosen(state: Picking, { elsewhere }: PickerKeyParts): PickerOutcome {
  const listed = state.listed[state.selected];
  if (listed === undefined) return stay({ ...state, message: 'Nothing is chosen: nothing is listed.' });
  const folder = elsewhere(listed);
  const choice = { tree: listed.tree.id, isElsewhere: folder !== null, isArchived: state.archived };
  const questions = [
    state.archived ? 'Take it out of the archive and go on?' : '',
    folder === null ? '' : `It works in ${folder}, not here. Go on there?`,
  ].filter((question) => question !== '');
  if (questions.length === 0) return { state, action: { kind: 'choose', choice } };
  return stay({ ...state, asking: confirmationOf(questions.join(' '), choice) });
}

function withoutLast(text: string): string {
  const pieces = [...new Intl.Segmenter().segment(text)];
  return text.slice(0, pieces.at(-1)?.index ?? 0);
}
