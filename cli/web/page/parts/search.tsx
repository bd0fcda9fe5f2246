import type { ComponentChildren } from 'preact';
import { NONE } from '../core/node_table.js';
import { indexOf } from '../core/tree_columns.js';
import type { PageHit } from '../source/source.js';
import { read } from '../state/moves.js';
import { columns, hits, source } from '../state/tree_state.js';
import { notice, query } from '../state/view_state.js';
import { count } from '../state/word_forms.js';
import { Icon } from './icon.js';

const WAIT_MS = 120;
const SHOWN = 40;
export const SEARCH_ID = 'search';

let timer: ReturnType<typeof setTimeout> | undefined;

/** Looks for words in all branches, a moment after the last key. */
export function searchFor(words: string): void {
  query.value = words;
  clearTimeout(timer);
  if (words.trim() === '') hits.value = null;
  else timer = setTimeout(() => look(words), WAIT_MS);
}

function look(words: string): void {
  const found = source.value?.search(words);
  found?.then(
    (list) => {
      if (query.value === words) hits.value = list;
    },
    (error: unknown) => {
      notice.value = `The search failed: ${error instanceof Error ? error.message : String(error)}`;
    },
  );
}

export function SearchField() {
  return (
    <label class="search" aria-label="Search all branches">
      <Icon name="search" />
      <input
        id={SEARCH_ID}
        type="search"
        placeholder="Search all branches"
        aria-label="Search all branches"
        value={query.value}
        onInput={(event) => searchFor(event.currentTarget.value)}
      />
      <kbd>/</kbd>
    </label>
  );
}

const SPEAKERS = { root: '', user: 'You', assistant: 'Assistant', summary: 'Summary', tool: 'call' } as const;

export function Found() {
  const list = hits.value;
  if (list === null) return null;
  return (
    <section class="found" aria-label="What was found">
      <p role="status">
        {count(list.length, 'place')}
        {list.length > SHOWN ? `, the newest ${SHOWN} here` : ''}
      </p>
      <ul>
        {list.slice(0, SHOWN).map((hit) => (
          <li key={hit.seq}>
            <button type="button" onClick={() => show(hit)}>
              <small>{SPEAKERS[hit.role]}</small> <Marked hit={hit} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function show({ seq }: PageHit): void {
  const node = indexOf(columns, seq);
  if (node !== NONE) read(node);
}

function Marked({ hit: { snippet, matches } }: { hit: PageHit }) {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const [start, end] of matches) {
    parts.push(snippet.slice(at, start), <mark key={start}>{snippet.slice(start, end)}</mark>);
    at = end;
  }
  return (
    <span>
      {parts}
      {snippet.slice(at)}
    </span>
  );
}
