import type { KeyPress } from '../keys/key.js';
import {
  type Action,
  type EditorState,
  type HistoryEntry,
  MENU_CLOSED,
  only,
  type Search,
} from '../state/editor_state.js';
import { signBefore } from '../state/graphemes.js';
import { recalled } from './history_keys.js';

// The longest query.
const QUERY_LENGTH_MAX = 200;
const UPPER_CASE = /\p{Lu}/u;

export const startSearch: Action = (state) =>
  only({ ...state, search: { query: '', found: null, isFailing: false }, menu: MENU_CLOSED });

/** The effect of a key during a search; null for a key that ends it and then acts as usual. */
export function searchKey(state: EditorState, search: Search, key: KeyPress): EditorState | null {
  switch (`${key.ctrl ? 'ctrl+' : ''}${key.name}`) {
    case 'ctrl+r':
      return { ...state, search: searched(state.history, search, (search.found ?? state.history.length) - 1) };
    case 'ctrl+s':
      return { ...state, search: searchedForward(state.history, search) };
    case 'backspace':
      return { ...state, search: shortened(state.history, search) };
    case 'escape':
    case 'ctrl+g':
    case 'ctrl+c':
      return { ...state, search: null };
    case 'enter':
    case 'tab':
      return accepted(state, search);
    default:
      return null;
  }
}

/** Extends the query. */
export function searchText(state: EditorState, search: Search, text: string): EditorState {
  const query = (search.query + text.replace(/\s+/g, ' ')).slice(0, QUERY_LENGTH_MAX).toWellFormed();
  const from = search.found ?? state.history.length - 1;
  return { ...state, search: searched(state.history, { ...search, query }, from) };
}

/** Ends a search and keeps the match in the editor. */
export function accepted(state: EditorState, { found }: Search): EditorState {
  const ended = { ...state, search: null };
  return found === null ? ended : recalled(ended, found);
}

/** The offset of the query in a text. */
export function matchIn(text: string, query: string): { start: number; end: number } | null {
  if (query === '') return null;
  const found = matcher(query).exec(text);
  return found === null ? null : { start: found.index, end: found.index + found[0].length };
}

function searched(history: readonly HistoryEntry[], search: Search, from: number): Search {
  if (search.query === '') return { ...search, found: null, isFailing: false };
  const pattern = matcher(search.query);
  const found = history.findLastIndex(({ text }, index) => index <= from && pattern.test(text));
  return found < 0 ? { ...search, isFailing: true } : { ...search, found, isFailing: false };
}

function searchedForward(history: readonly HistoryEntry[], search: Search): Search {
  const from = search.found;
  if (from === null) return search;
  const pattern = matcher(search.query);
  const found = history.findIndex(({ text }, index) => index > from && pattern.test(text));
  return found < 0 ? { ...search, isFailing: true } : { ...search, found, isFailing: false };
}

function shortened(history: readonly HistoryEntry[], search: Search): Search {
  const query = search.query.slice(0, signBefore(search.query, search.query.length));
  return searched(history, { query, found: null, isFailing: false }, history.length - 1);
}

/** Smart case; a space matches any white space, line breaks included. */
function matcher(query: string): RegExp {
  const pattern = query.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replace(/ /g, '\\s');
  return new RegExp(pattern, UPPER_CASE.test(query) ? '' : 'i');
}
