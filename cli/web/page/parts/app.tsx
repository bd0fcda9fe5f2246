import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { NONE } from '../core/node_table.js';
import { Outline } from '../outline/outline.js';
import { foldAll } from '../outline/outline_keys.js';
import { Reading } from '../reading/branch_text.js';
import { goHere } from '../state/moves.js';
import { here, lanes, running, source, wholeRows } from '../state/tree_state.js';
import { help, type PagePart, part, view } from '../state/view_state.js';
import { count } from '../state/word_forms.js';
import { Compare } from '../views/compare.js';
import { Cost } from '../views/cost.js';
import { TreeMap } from '../views/map.js';
import { Composer } from './composer.js';
import { Head } from './head.js';
import { Help } from './help.js';
import { Icon } from './icon.js';
import { Running } from './live_turns.js';
import { listenToKeys } from './page_keys.js';
import { Found, SEARCH_ID } from './search.js';

const PHONE = '(max-width: 760px)';
/** From so many rows on a map stands beside what is read. */
const STRIP_ROWS = 26;
const ROW_HEIGHT = 30;
const FINGER_HEIGHT = 42;

export function App() {
  const from = source.value;
  const isCoarse = useMedia(`${PHONE}, (pointer: coarse)`);
  useEffect(listenToKeys, []);
  if (from === null) {
    return (
      <main class="loading">
        <p role="status">Opening the tree…</p>
      </main>
    );
  }
  const hasStrip = wholeRows.value.count > STRIP_ROWS && view.value !== 'map';
  return (
    <div class={`page part-${part.value} ${hasStrip ? '' : 'no-strip'}`}>
      <Head source={from} />
      <main class="body">
        <h2 class="sr">The conversation</h2>
        <section class="left" aria-label="Tree">
          <Found />
          <Tools />
          <Outline rowHeight={isCoarse ? FINGER_HEIGHT : ROW_HEIGHT} />
          {(running.value.length > 0 || lanes.value.length > 1 || part.value === 'running') && <Running />}
        </section>
        <section class="main" aria-label={view.value}>
          <Shown />
          {view.value === 'read' && from.write !== null && <Composer />}
        </section>
        {hasStrip && (
          <section class="strip" aria-label="Map of the whole tree">
            <TreeMap hasLabels={false} />
          </section>
        )}
      </main>
      <Tabs />
      {help.value && <Help />}
      <p class="sr" role="status" aria-live="polite">
        {running.value.length > 0 ? `${count(running.value.length, 'turn')} running` : 'nothing is running'}
      </p>
    </div>
  );
}

function Shown() {
  switch (view.value) {
    case 'read':
      return <Reading />;
    case 'compare':
      return <Compare />;
    case 'map':
      return <TreeMap hasLabels />;
    case 'cost':
      return <Cost />;
  }
}

function Tools() {
  return (
    <div class="tools">
      <button type="button" onClick={() => foldAll(true)} title="*">
        open all
      </button>
      <button type="button" onClick={() => foldAll(false)} title="-">
        fold all
      </button>
      {here.value !== NONE && (
        <button type="button" onClick={goHere}>
          to where you are
        </button>
      )}
    </div>
  );
}

const PARTS: readonly (readonly [PagePart, string])[] = [
  ['tree', 'Tree'],
  ['read', 'Read'],
  ['running', 'Running'],
  ['search', 'Search'],
];

/** On a phone one part is shown at a time. */
function Tabs() {
  const wordsOf = (one: PagePart, words: string): string =>
    one === 'running' && running.value.length > 0 ? `${running.value.length} running` : words;
  return (
    <nav class="tabs" aria-label="Parts">
      {PARTS.map(([one, words]) => (
        <button
          type="button"
          key={one}
          aria-pressed={part.value === one}
          onClick={() => {
            part.value = one;
            if (one === 'search') requestAnimationFrame(() => document.getElementById(SEARCH_ID)?.focus());
          }}
        >
          <Icon name={one} />
          <span>{wordsOf(one, words)}</span>
        </button>
      ))}
    </nav>
  );
}

function useMedia(query: string): boolean {
  const matches = useSignal(matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const take = (): void => {
      matches.value = media.matches;
    };
    media.addEventListener('change', take);
    return () => media.removeEventListener('change', take);
  }, [query]);
  return matches.value;
}
