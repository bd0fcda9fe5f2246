import type { Slices } from '../paging/slices.js';
import { matchQuery } from './index_file.js';
import { type Pattern, parsePattern } from './pattern.js';
import { findAll, folded, parseQuery, type Range, type Snippet, snippetOf, termPlaces } from './terms.js';

/** What a search looks for in a text. */
export interface TextFinder {
  /** What narrows the nodes down in the index; null when every node must be read. */
  indexQuery: string | null;
  /** Of each text the places that make it a hit; null when it is none. */
  find(texts: readonly string[]): Slices<(Range[] | null)[]>;
  snippet(text: string, found: readonly Range[]): Snippet;
}

export function finderOf({ query, regex }: { query: string; regex: boolean }): TextFinder {
  return regex ? patternFinder(parsePattern(query)) : wordFinder(query);
}

function wordFinder(query: string): TextFinder {
  const terms = parseQuery(query);
  return {
    indexQuery: matchQuery(terms),
    *find(texts) {
      return texts.map((text) => findAll(folded(text), terms));
    },
    snippet: (text, found) => snippetOf(text, found, (snippet) => termPlaces(folded(snippet), terms)),
  };
}

function patternFinder(pattern: Pattern): TextFinder {
  return {
    indexQuery: null,
    *find(texts) {
      const places = yield* pattern.first(texts);
      return places.map((place) => (place === null ? null : [place]));
    },
    snippet: (text, found) => snippetOf(text, found, pattern.all),
  };
}
