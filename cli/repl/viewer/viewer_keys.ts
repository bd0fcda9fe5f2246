import type { Completion } from '../editor/completion/menu.js';
import type { Key, KeyPress } from '../editor/keys/key.js';
import { type LeaderAction, leaderAction } from './leader.js';
import { beginLine, remember, type TypedHistory, type TypedLine, typedKey } from './typed_line.js';
import { atEnd, chosenAt, folded, type Rows, scrolled, type Viewing } from './viewport.js';

/** What the view cannot do by itself. */
export type ViewerAction =
  | { kind: 'leave' | 'copy' | 'first' | 'last' | 'unfolded' }
  | { kind: 'leader'; leader: Exclude<LeaderAction, 'keys'> }
  /** Towards the beginning, or towards the end. */
  | { kind: 'search'; query: string; by: -1 | 1 }
  | { kind: 'command'; text: string };

export interface ViewerPressed {
  view: Viewing;
  action: ViewerAction | null;
}

const FAR = Number.MAX_SAFE_INTEGER;

/** What is around the view when a key is pressed. */
export interface Around {
  rows: Rows;
  completion: Completion;
  /** What was typed before; what is entered is added to it. */
  history: TypedHistory;
}

/** What a key does. */
export function pressed(before: Viewing, key: Key, around: Around): ViewerPressed {
  const view = { ...before, word: null };
  if (view.help) return stay({ ...view, help: false });
  if (view.typing !== null) return typed({ view, line: view.typing }, key, around);
  if (key.kind === 'paste') return stay(view);
  if (key.kind === 'key') return view.leader === 'none' ? ofKey(view, key, around) : stay({ ...view, leader: 'none' });
  return ofText(view, key.text, around);
}

/** Keys that were pressed quickly come as one text; once a line is begun, the rest belongs to that. */
function ofText(view: Viewing, text: string, around: Around): ViewerPressed {
  let at = 0;
  let result = stay(view);
  for (const letter of text) {
    if (result.action !== null || result.view.help) break;
    if (result.view.typing !== null) return pressed(result.view, { kind: 'text', text: text.slice(at) }, around);
    result = result.view.leader === 'none' ? ofLetter(result.view, letter, around) : ofLeader(result.view, letter);
    at += letter.length;
  }
  return result;
}

function stay(view: Viewing): ViewerPressed {
  return { view, action: null };
}

function ofLeader(view: Viewing, letter: string): ViewerPressed {
  const action = leaderAction(letter);
  if (action === 'keys') return stay({ ...view, leader: 'none', help: true });
  const next: Viewing = { ...view, leader: 'none' };
  if (action === null) return stay({ ...next, word: `Space ${letter} means nothing. Space ? lists the keys.` });
  return { view: next, action: { kind: 'leader', leader: action } };
}

function isInterrupt({ name, ctrl }: KeyPress): boolean {
  return ctrl && (name === 'c' || name === 'd');
}

function ofKey(view: Viewing, key: KeyPress, around: Around): ViewerPressed {
  const { rows } = around;
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

function ofLetter(view: Viewing, letter: string, { rows, history }: Around): ViewerPressed {
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
    case 'y':
      return { view, action: { kind: 'copy' } };
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
      return stay(view);
  }
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

/** The beginning, or the end, of all that was read. */
export function shownEnd(view: Viewing, which: 'first' | 'last', rows: Rows): Viewing {
  return which === 'last' ? atEnd(view, rows) : scrolled({ ...view, chosen: 0 }, -FAR, rows);
}
