import { useEffect } from 'preact/hooks';
import { NONE, numberAt } from '../core/node_table.js';
import { childrenOf, leafBelow } from '../core/walk.js';
import type { LiveTurn } from '../source/source.js';
import { lineOf, linesVersion, wantLines } from '../state/known_lines.js';
import { compare, takeBranch } from '../state/moves.js';
import { columns, onPath, runningAt, runs, totals } from '../state/tree_state.js';
import { nowMs } from '../state/view_state.js';
import { ago, count, money } from '../state/word_forms.js';

const WAYS_MAX = 12;

/** The ways on from a fork, by what was said first on each. */
export function Fork({ at }: { at: number }) {
  linesVersion.value;
  const ways = childrenOf(columns, at, WAYS_MAX);
  const all = numberAt(columns.childCount, at);
  useEffect(() => wantLines(ways), [at, all, linesVersion.value]);
  const own = ways.find((way) => onPath.value.has(way));
  const other = ways.find((way) => way !== own);
  return (
    <div class="fork" role="group" aria-label={`${all} ways on from here`}>
      <div class="fork-head">
        <span class="fork-word">{all} ways on from here</span>
        {own !== undefined && other !== undefined && (
          <button
            type="button"
            class="link"
            onClick={() => compare(leafBelow(runs.value, own), leafBelow(runs.value, other))}
          >
            compare two
          </button>
        )}
      </div>
      <div class="ways">
        {ways.map((way) => (
          <Way key={way} node={way} />
        ))}
      </div>
      {all > ways.length && <p class="hint">{all - ways.length} more in the tree</p>}
    </div>
  );
}

function Way({ node }: { node: number }) {
  const isOn = onPath.value.has(node);
  const run = numberAt(runs.value.runOf, node);
  const price = numberAt(totals.value.price, run);
  const live = liveBelow(run);
  return (
    <button type="button" class={isOn ? 'way on' : 'way'} aria-pressed={isOn} onClick={() => takeBranch(node)}>
      <b>{lineOf(node)?.preview || '…'}</b>
      <small>
        {live === null ? ago(numberAt(runs.value.newest, run) * 1_000, nowMs.value) : <Pulse live={live} />} ·{' '}
        {count(numberAt(runs.value.weight, run), 'node')}
        {price > 0 ? ` · ${money(price)}` : ''}
      </small>
    </button>
  );
}

function Pulse({ live }: { live: LiveTurn }) {
  return <span class="pulse">{live.activity}</span>;
}

function liveBelow(run: number): LiveTurn | null {
  for (const [node, turn] of runningAt.value) {
    for (
      let at = node === NONE ? NONE : numberAt(runs.value.runOf, node);
      at !== NONE;
      at = numberAt(runs.value.up, at)
    ) {
      if (at === run) return turn;
    }
  }
  return null;
}
