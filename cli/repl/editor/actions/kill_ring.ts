import { tokensOf } from '../state/buffer.js';
import { type Action, type EditorState, edited, OTHER, only } from '../state/editor_state.js';
import { runBefore, signAfter } from '../state/graphemes.js';
import { partsOf } from '../state/paste_tokens.js';
import { wordAfter, wordBefore } from '../state/words.js';
import { lineEnd, lineStart } from './cursor_moves.js';

const KILLS_MAX = 60;

type Place = (text: string, at: number) => number;

function killingBefore(place: Place): Action {
  return (state) => {
    const { text, cursor } = state.buffer;
    return only(killed(state, { start: place(text, cursor), end: cursor }));
  };
}

function killingAfter(place: Place): Action {
  return (state) => {
    const { text, cursor } = state.buffer;
    return only(killed(state, { start: cursor, end: place(text, cursor) }));
  };
}

export const killRunBefore = killingBefore(runBefore);
export const killWordBefore = killingBefore(wordBefore);
export const killWordAfter = killingAfter(wordAfter);
export const killToLineStart = killingBefore((text, at) =>
  lineStart(text, at) === at ? Math.max(0, at - 1) : lineStart(text, at),
);
// At the end of a line the line break is killed, which joins the next line.
export const killToLineEnd = killingAfter((text, at) =>
  lineEnd(text, at) === at ? signAfter(text, at) : lineEnd(text, at),
);

/** Yanks the newest kill. */
export const yank: Action = (state) =>
  only(yanked(state, { start: state.buffer.cursor, index: state.kills.length - 1 }));

/** After a yank: replaces it with the kill before. */
export const yankEarlier: Action = (state) => {
  const { last, kills } = state;
  if (last.kind !== 'yank') return only(state);
  const index = (last.index + kills.length - 1) % kills.length;
  return only(yanked(state, { start: last.start, index }));
};

function killed(state: EditorState, range: { start: number; end: number }): EditorState {
  const { text, pastes, cursor } = state.buffer;
  if (range.start >= range.end) return { ...state, last: OTHER };
  const killedNow = partsOf(text.slice(range.start, range.end), pastes);
  const goesOn = state.last.kind === 'killing';
  const before = goesOn ? (state.kills.at(-1) ?? []) : [];
  const content = range.end === cursor && range.start < cursor ? [...killedNow, ...before] : [...before, ...killedNow];
  const others = goesOn ? state.kills.slice(0, -1) : state.kills.slice(1 - KILLS_MAX);
  return { ...edited(state, range, ''), kills: [...others, content], last: { kind: 'killing' } };
}

function yanked(state: EditorState, { start, index }: { start: number; index: number }): EditorState {
  const content = state.kills[index];
  if (content === undefined) return { ...state, last: OTHER };
  // A kill may hold pastes of a message that was sent since.
  const { inserted, pastes } = tokensOf(content, state.buffer.pastes);
  const buffer = { ...state.buffer, pastes };
  const next = edited({ ...state, buffer }, { start, end: state.buffer.cursor }, inserted);
  return { ...next, last: { kind: 'yank', start, index } };
}
