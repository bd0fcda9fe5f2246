import { HubError } from '../../hub/base/error.js';
import { findPhrase } from './phrase.js';

/** About the length of a hit's snippet. */
const SNIPPET_LENGTH = 120;
/** The length of the snippet before its first match. */
const LEAD_LENGTH = 40;
/** The most matches that are marked in one snippet. */
export const MATCHES_MAX = 50;

/** Words that must follow each other, with any blanks between them. */
export type Term = readonly string[];
/** A match: [start, end) in UTF-16 units. */
export type Range = [start: number, end: number];

/** The terms of a query: its words, and "quoted words" as one term. Every other character is plain text. */
export function parseQuery(query: string): Term[] {
  const terms: Term[] = [];
  for (const [, quoted, plain] of query.matchAll(/"([^"]*)"|((?:[^\s"]|"(?![^"]*"))+)/gu)) {
    const words = folded(quoted ?? plain ?? '')
      .split(/\s+/u)
      .filter((word) => word !== '');
    if (words.length > 0) terms.push(words);
  }
  if (terms.length > 0) return terms;
  throw new HubError('invalid_params', `the query ${JSON.stringify(query)} has no word to look for`, {
    hint: 'give one or more words, or "words in quotes" that stand together',
  });
}

/** A text in folded case with the same length, so that offsets in it are offsets in the text. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  // The few letters that become longer in lower case stay as they are. A final sigma is a sigma.
  return (lower.length === text.length ? lower : lowerOneByOne(text)).replaceAll('ς', 'σ');
}

function lowerOneByOne(text: string): string {
  return Array.from(text, (letter) => {
    const lower = letter.toLowerCase();
    return lower.length === letter.length ? lower : letter;
  }).join('');
}

/** The first match of each term in a folded text; null when one of them is missing. */
export function findAll(text: string, terms: readonly Term[]): Range[] | null {
  const found: Range[] = [];
  for (const term of terms) {
    const range = findTerm(text, term, 0);
    if (range === null) return null;
    found.push(range);
  }
  return found;
}

function findTerm(text: string, term: Term, from: number): Range | null {
  const [word = ''] = term;
  if (term.length === 1) {
    const start = text.indexOf(word, from);
    return start === -1 ? null : [start, start + word.length];
  }
  return findPhrase(text, term, from);
}

export interface Snippet {
  snippet: string;
  matches: Range[];
}

/** The text around the first match on one line, with the places of matches in it. */
export function snippetOf(text: string, found: readonly Range[], places: (snippet: string) => Range[]): Snippet {
  const [start, end] = found.reduce((first, range) => (range[0] < first[0] ? range : first));
  const from = wholeCharacter(text, Math.max(0, start - LEAD_LENGTH));
  const to = wholeCharacter(text, Math.min(text.length, Math.max(from + SNIPPET_LENGTH, end)));
  const line = text.slice(from, to).replace(/\s+/gu, ' ').trim();
  const snippet = `${from > 0 ? '…' : ''}${line}${to < text.length ? '…' : ''}`;
  return { snippet, matches: places(snippet) };
}

/** The same offset, or the one before it when it is inside a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

/** Every match of every term in a folded text. */
export function termPlaces(text: string, terms: readonly Term[]): Range[] {
  const places: Range[] = [];
  for (const term of terms) {
    for (let from = 0; places.length < MATCHES_MAX; ) {
      const range = findTerm(text, term, from);
      if (range === null) break;
      places.push(range);
      from = range[1];
    }
  }
  return withoutOverlaps(places);
}

function withoutOverlaps(places: Range[]): Range[] {
  const kept: Range[] = [];
  for (const [start, end] of places.sort((left, right) => left[0] - right[0] || right[1] - left[1])) {
    const last = kept.at(-1);
    if (last === undefined || start >= last[1]) kept.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return kept;
}
