import { useEffect, useState } from 'preact/hooks';
import { numberAt } from '../core/node_table.js';
import type { Source, TreeChoice } from '../source/source.js';
import { away, columns, runs, totals, version } from '../state/tree_state.js';
import { help, notice, type PageView, part, view } from '../state/view_state.js';
import { count, money } from '../state/word_forms.js';
import { Brand, Icon } from './icon.js';
import { VIEWS } from './page_keys.js';
import { SearchField } from './search.js';

const WORDS: Readonly<Record<PageView, string>> = { read: 'Read', compare: 'Compare', map: 'Map', cost: 'Cost' };

export function Head({ source }: { source: Source }) {
  version.value;
  const total = numberAt(totals.value.price, 0);
  return (
    <header class="top">
      <Brand />
      <Title source={source} />
      <span class="stat">
        {count(columns.count, 'node')} · {count(Math.max(0, numberAt(runs.value.leaves, 0)), 'branch')}
      </span>
      {away.value !== null && (
        <span class="away" role="alert">
          {away.value}
        </span>
      )}
      {notice.value !== null && (
        <button type="button" class="away" onClick={() => (notice.value = null)}>
          {notice.value} ✕
        </button>
      )}
      <SearchField />
      <nav class="views" aria-label="Views">
        {VIEWS.map((one) => (
          <button
            type="button"
            key={one}
            aria-label={WORDS[one]}
            aria-pressed={view.value === one}
            onClick={() => {
              view.value = one;
              part.value = 'read';
            }}
          >
            <Icon name={one} />
            <span>{WORDS[one]}</span>
          </button>
        ))}
      </nav>
      {total > 0 && <span class="stat money">{money(total)}</span>}
      <button type="button" class="keys-button" aria-label="Keys" onClick={() => (help.value = true)}>
        ?
      </button>
    </header>
  );
}

/** The name of the tree; where there are others, a list to choose from. */
function Title({ source }: { source: Source }) {
  const [trees, setTrees] = useState<readonly TreeChoice[]>([]);
  useEffect(() => {
    // Without a list the page stays with its tree.
    source.trees().then(setTrees, () => setTrees([]));
  }, [source]);
  if (trees.length < 2) return <h1>{source.name}</h1>;
  return (
    <h1>
      <select aria-label="Conversation" onChange={(event) => source.open(event.currentTarget.value)}>
        {trees.map((tree) => (
          <option key={tree.id} value={tree.id} selected={(tree.name ?? tree.title) === source.name}>
            {tree.name ?? (tree.title || tree.id.slice(0, 8))}
          </option>
        ))}
      </select>
    </h1>
  );
}
