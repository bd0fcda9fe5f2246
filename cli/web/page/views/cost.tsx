import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { NONE, numberAt } from '../core/node_table.js';
import { shownHead } from '../core/outline_rows.js';
import { lineOf, linesVersion, wantLines } from '../state/known_lines.js';
import { read } from '../state/moves.js';
import { columns, costs, runs, runsOnPath, totals } from '../state/tree_state.js';
import { count, money, short } from '../state/word_forms.js';

const SHARE_MIN = 0.004;
const LEVEL_HEIGHT = 46;

interface Flame {
  run: number;
  left: number;
  share: number;
  level: number;
}

/** What branches cost, as widths: a flame picture of the tree. */
export function Cost() {
  linesVersion.value;
  const total = numberAt(totals.value.price, 0);
  const { flames, leftOut } = total > 0 ? flamesOf(total) : { flames: [], leftOut: 0 };
  const heads = flames.map(({ run }) => shownHead(columns, runs.value, run));
  useEffect(() => wantLines(heads));
  if (total <= 0) return <p class="empty">No request of this tree has a price.</p>;
  const levels = 1 + flames.reduce((most, { level }) => Math.max(most, level), 0);
  return (
    <div class="cost-view" tabIndex={0} role="region" aria-label="What the branches cost">
      <Sums total={total} />
      <p class="hint">
        Width is what a part and all below it cost; the darker, the more of that is its own. The branch that you read
        has a frame.
      </p>
      <div class="flames" style={{ height: `${levels * LEVEL_HEIGHT}px` }}>
        {flames.map((flame) => (
          <FlameButton key={flame.run} flame={flame} />
        ))}
      </div>
      {leftOut > 0 && (
        <p class="hint">
          {count(leftOut, 'part')} below {SHARE_MIN * 100} % not drawn.
        </p>
      )}
    </div>
  );
}

/** Lists what is wide enough to be seen; a stack instead of recursion, for trees of any depth. */
function flamesOf(total: number): { flames: Flame[]; leftOut: number } {
  const { first, next } = runs.value;
  const flames: Flame[] = [];
  const stack: Flame[] = [{ run: 0, left: 0, share: 1, level: 0 }];
  let leftOut = 0;
  for (let flame = stack.pop(); flame !== undefined; flame = stack.pop()) {
    if (flame.share < SHARE_MIN) {
      leftOut += 1;
      continue;
    }
    flames.push(flame);
    let left = flame.left;
    for (let run = numberAt(first, flame.run); run !== NONE; run = numberAt(next, run)) {
      const share = numberAt(totals.value.price, run) / total;
      stack.push({ run, left, share, level: flame.level + 1 });
      left += share;
    }
  }
  return { flames, leftOut };
}

function FlameButton({ flame: { run, left, share, level } }: { flame: Flame }) {
  const price = numberAt(totals.value.price, run);
  const own = numberAt(totals.value.own, run);
  const dearest = Math.max(1, ...totals.value.own.slice(0, 10_000));
  const words = lineOf(shownHead(columns, runs.value, run))?.preview || '…';
  return (
    <button
      type="button"
      class={runsOnPath.value.has(run) ? 'flame on' : 'flame'}
      style={{
        ...{ left: `${left * 100}%`, width: `${share * 100}%`, top: `${level * LEVEL_HEIGHT}px` },
        '--heat': String(Math.sqrt(own / dearest)),
      }}
      title={`${words}\n${money(price)} with all below, ${money(own)} itself`}
      onClick={() => read(numberAt(runs.value.tail, run))}
    >
      <b>{words}</b>
      <small>{own < price ? `${money(price)} · itself ${money(own)}` : money(price)}</small>
    </button>
  );
}

function Sums({ total }: { total: number }) {
  const sums = { tokensIn: 0, tokensOut: 0, cached: 0 };
  const models = new Map<string, number>();
  for (const cost of costs.value.values()) {
    sums.tokensIn += cost.tokens_in;
    sums.tokensOut += cost.tokens_out;
    sums.cached += cost.tokens_cached;
    models.set(cost.model, (models.get(cost.model) ?? 0) + cost.price_microdollars);
  }
  const cached = sums.tokensIn === 0 ? 0 : Math.round((sums.cached / sums.tokensIn) * 100);
  return (
    <header>
      <Sum name="whole tree">{money(total)}</Sum>
      <Sum name="tokens in">{short(sums.tokensIn)}</Sum>
      <Sum name="of them cached">{cached} %</Sum>
      <Sum name="tokens out">{short(sums.tokensOut)}</Sum>
      {[...models].map(([model, price]) => (
        <Sum key={model} name={model}>
          {money(price)}
        </Sum>
      ))}
    </header>
  );
}

function Sum({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <small>{name}</small>
      <b>{children}</b>
    </div>
  );
}
