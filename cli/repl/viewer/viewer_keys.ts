import type { Completion } from '../editor/completion/menu.js';
import { answerOf, confirmationOf } from '../editor/keys/confirmation.js';
import type { Key, KeyPress } from '../editor/keys/key.js';
import { type LeaderAction, leaderKey, type ModeFacts } from './leader.js';
import { beginLine, remember, type TypedHistory, type TypedLine, typedKey } from './typed_line.js';
import { atEnd, chosenAt, folded, type Rows, scrolled, type Viewing } from './viewport.js';

/** An action beyond the view itself. */
export type ViewerAction =
  | { kind: 'leave' | 'copy' | 'first' | 'last' | 'unfolded' }
  | { kind: 'leader'; leader: Exclude<LeaderAction, 'keys'> }
  /** Towards the beginning, or towards the end. */
  | { kind: 'search'; query: string; by: -1 | 1 }
  | { kind: 'command'; text: string }
  /** An unused key: the start of a message. */
  | { kind: 'text' };

export interface ViewerPressed {
  view: Viewing;
  action: ViewerAction | null;
}

const FAR = Number.MAX_SAFE_INTEGER;

/** The context of a key. */
export interface Around {
  rows: Rows;
  completion: Completion;
  /** Earlier lines; entered ones are appended. */
  history: TypedHistory;
  modes: ModeFacts;
}

/** The effect of a key. Letters alone change nothing, so that a sentence typed here is harmless. */
export function pressed(before: Viewing, key: Key, around: Around): ViewerPressed {
  const view = { ...before, word: null };
  if (view.help) return stay({ ...view, help: false });
  if (view.typing !== null) return typed({ view, line: view.typing }, key, around);
  if (view.asking !== null) return answered({ ...view, asking: null }, view.asking, key);
  if (key.kind === 'paste') return asText(view);
  if (key.kind === 'key') return view.leader === 'none' ? ofKey(view, key, around) : stay({ ...view, leader: 'none' });
  return ofText(view, key.text, around);
}

/** Fast typing arrives as one text; once a key opens a line, the rest goes into it. */
function ofText(view: Viewing, text: string, around: Around): ViewerPressed {
  let at = 0;
  let result = stay(view);
  for (const letter of text) {
    if (result.action !== null || result.view.help) break;
    if (result.view.typing !== null) return pressed(result.view, { kind: 'text', text: text.slice(at) }, around);
    result = ofOneLetter(result.view, letter, around);
    at += letter.length;
  }
  return result;
}

function stay(view: Viewing): ViewerPressed {
  return { view, action: null };
}

function asText(view: Viewing): ViewerPressed {
  return { view, action: { kind: 'text' } };
}

function ofOneLetter(view: Viewing, letter: string, around: Around): ViewerPressed {
  if (view.asking !== null) return pressed(view, { kind: 'text', text: letter }, around);
  return view.leader === 'none' ? ofLetter(view, letter, around) : ofLeader(view, letter, around.modes);
}

function ofLeader(view: Viewing, letter: string, modes: ModeFacts): ViewerPressed {
  const next: Viewing = { ...view, leader: 'none' };
  const meant = leaderKey(letter);
  if (meant === null) return asText(next);
  const { action, question } = meant;
  if (action === 'keys') return stay({ ...next, help: true });
  if (question !== null) return stay({ ...next, asking: confirmationOf(question(modes), action) });
  return { view: next, action: { kind: 'leader', leader: action } };
}

function answered(view: Viewing, asking: NonNullable<Viewing['asking']>, key: Key): ViewerPressed {
  switch (answerOf(asking, key)) {
    case 'yes':
      return { view, action: { kind: 'leader', leader: asking.action } };
    case 'no':
      return stay(view);
    case 'too_early':
      return stay({ ...view, asking });
    case 'text':
      return asText(view);
  }
}

function isInterrupt({ name, ctrl }: KeyPress): boolean {
  return ctrl && (name === 'c' || name === 'd');
}

function ofKey(before: Viewing, key: KeyPress, around: Around): ViewerPressed {
  const { rows } = around;
  const view = { ...before, isYanking: false };
  if (isInterrupt(key)) return { view, action: { kind: 'leave' } };
  const page = Math.max(1, rows.height - 1);
  switch (key.name) {
    case 'up':
      return stay(scrolled(view, -1, rows));
    case 'down':
      return stay(scrolled(view, 1, rows));
    case 'pageup':
      return stay(scrolled(view, -page, rows));
    case 'pagedown':
      return stay(scrolled(view, page, rows));
    case 'b':
      return stay(key.ctrl ? scrolled(view, -page, rows) : view);
    case 'f':
      return stay(key.ctrl ? scrolled(view, page, rows) : view);
    case 'o':
      return key.ctrl ? flip(view, rows) : stay(view);
    case 'home':
      return ofLetter(view, 'g', around);
    case 'end':
      return ofLetter(view, 'G', around);
    case 'enter':
      return flip(view, rows);
    case 'escape':
      return view.query === ''
        ? { view, action: { kind: 'leader', leader: 'navigator' } }
        : stay({ ...view, query: '', found: null });
    case 'tab':
      return key.shift ? { view, action: { kind: 'leader', leader: 'plan' } } : stay(view);
    default:
      return stay(view);
  }
}

function flip(view: Viewing, rows: Rows): ViewerPressed {
  return { view: folded(view, rows), action: { kind: 'unfolded' } };
}

function ofLetter(before: Viewing, letter: string, { rows, history }: Around): ViewerPressed {
  const view = { ...before, isYanking: false };
  if (letter === 'y') return before.isYanking ? { view, action: { kind: 'copy' } } : stay(yanking(view));
  switch (letter) {
    case 'j':
      return stay(scrolled(view, 1, rows));
    case 'k':
      return stay(scrolled(view, -1, rows));
    case '[':
      return stay(chosenAt(view, view.chosen - 1, rows));
    case ']':
      return stay(chosenAt(view, view.chosen + 1, rows));
    case 'g':
      return view.span.start === 0
        ? stay(chosenAt({ ...view, top: { block: 0, row: 0 } }, 0, rows))
        : { view, action: { kind: 'first' } };
    case 'G':
      return view.span.end === view.span.length ? stay(atEnd(view, rows)) : { view, action: { kind: 'last' } };
    case 'd':
      return stay(scrolled(view, Math.ceil(rows.height / 2), rows));
    case 'u':
      return stay(scrolled(view, -Math.ceil(rows.height / 2), rows));
    case ' ':
      return stay({ ...view, leader: 'pressed' });
    default:
      return pressedAction(view, letter, history);
  }
}

function pressedAction(view: Viewing, letter: string, history: TypedHistory): ViewerPressed {
  switch (letter) {
    case 'q':
    case 'i':
      return { view, action: { kind: 'leave' } };
    case '/':
    case ':':
      return stay({ ...view, typing: beginLine(letter, history) });
    case 'n':
    case 'N':
      if (view.query === '') return stay({ ...view, word: 'Nothing is searched for: type / and words' });
      return { view, action: { kind: 'search', query: view.query, by: letter === 'n' ? -1 : 1 } };
    case '?':
      return stay({ ...view, help: true });
    default:
      return asText(view);
  }
}

/** Copying replaces the clipboard, so it takes two keys. */
function yanking(view: Viewing): Viewing {
  return { ...view, isYanking: true, word: 'y once more copies the block' };
}

/** A key while a line is typed. */
function typed({ view, line }: { view: Viewing; line: TypedLine }, key: Key, around: Around): ViewerPressed {
  const step = typedKey(line, key, around.completion);
  if (step.kind === 'goes_on') return stay({ ...view, typing: step.line });
  const next = { ...view, typing: null };
  if (step.kind === 'left') return stay(next);
  remember(around.history, line.sign, step.text);
  return entered(next, line.sign, step.text);
}

function entered(view: Viewing, sign: TypedLine['sign'], text: string): ViewerPressed {
  if (sign === ':') return text.trim() === '' ? stay(view) : { view, action: { kind: 'command', text: text.trim() } };
  if (text === '') return stay({ ...view, query: '', found: null });
  return { view: { ...view, query: text, found: null }, action: { kind: 'search', query: text, by: -1 } };
}

/** Jumps to the start or the end of the loaded part. */
export function shownEnd(view: Viewing, which: 'first' | 'last', rows: Rows): Viewing {
  return which === 'last' ? atEnd(view, rows) : scrolled({ ...view, chosen: 0 }, -FAR, rows);
}
