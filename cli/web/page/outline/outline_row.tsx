import type { ComponentChildren } from 'preact';
import { NONE, numberAt } from '../core/node_table.js';
import { ROW } from '../core/outline_rows.js';
import { LETTER } from '../core/tree_columns.js';
import { isBelow, turnOf } from '../core/walk.js';
import { lineOf } from '../state/known_lines.js';
import { columns, focus, hits, onPath, rows, runs, runsOnPath } from '../state/tree_state.js';
import { compareA, compareB, cursor, view } from '../state/view_state.js';
import { count, money } from '../state/word_forms.js';
import { Rail } from './rail.js';
import { factsOf, type RowFacts } from './row_facts.js';

const TAGS_MAX = 2;
/** A bar is full at so many microdollars. */
const FULL_PRICE = 200_000;

/** One row of the outline. */
export function OutlineRow({
  row,
  height,
  onChoose,
}: {
  row: number;
  height: number;
  onChoose: (isRail: boolean) => void;
}) {
  const node = numberAt(rows.value.node, row);
  const run = numberAt(rows.value.run, row);
  const flags = rows.value.flags[row] ?? 0;
  const facts = factsOf(row);
  const isOn = onPath.value.has(node);
  const isFolded = (flags & ROW.folded) !== 0;
  const place = facts.isHere ? 'here' : '';
  const state = facts.live === null ? place : 'live';
  const names = [
    ...['row', isOn ? 'on' : '', row === cursor.value ? 'cursor' : '', focus.value === node ? 'focus' : ''],
    ...[flags & ROW.aside ? 'aside' : '', hits.value !== null && facts.found === 0 ? 'dim' : ''],
  ];
  const fold = (flags & ROW.canFold) !== 0 && { 'aria-expanded': !isFolded };
  return (
    <div
      id={`row${node}`}
      role="treeitem"
      tabIndex={-1}
      class={names.filter((name) => name !== '').join(' ')}
      aria-level={numberAt(runs.value.indent, run) + 1}
      aria-posinset={row + 1}
      aria-setsize={rows.value.count}
      aria-selected={focus.value === node}
      aria-current={facts.isHere ? 'true' : undefined}
      {...fold}
      style={{ height: `${height}px` }}
      onClick={(event) => onChoose(event.target instanceof Element && event.target.closest('.rails') !== null)}
    >
      <Rail
        {...{
          indent: numberAt(runs.value.indent, run),
          through: numberAt(rows.value.through, row),
          lit: litLevels(run),
        }}
        {...{ flags, isOn, state, height }}
      />
      <span class="what">{wordsOf(node)}</span>
      <Facts facts={facts} />
      <Letters node={node} run={run} isFolded={isFolded} />
      {isFolded && <span class="fold">{foldWords(run, facts.nodes)}</span>}
      <Price price={facts.price} />
    </div>
  );
}

function wordsOf(node: number): ComponentChildren {
  const line = lineOf(node);
  if (line === null) return <i class="wait" />;
  if (columns.kind[node] === LETTER.root) return 'the beginning';
  return line.preview === '' ? `(${line.tool ?? line.role})` : line.preview;
}

function foldWords(run: number, nodes: number): string {
  const leaves = numberAt(runs.value.leaves, run);
  return leaves > 1 ? `${count(nodes, 'node')}, ${count(leaves, 'branch')}` : count(nodes, 'node');
}

function Facts({ facts }: { facts: RowFacts }) {
  const { marks, live, isHere, found, failures } = facts;
  return (
    <>
      {marks.slice(0, TAGS_MAX).map((name) => (
        <span class="tag" key={name}>
          ◆ {name}
        </span>
      ))}
      {marks.length > TAGS_MAX && <span class="tag">+{marks.length - TAGS_MAX}</span>}
      {live !== null && <span class="pulse">{live.activity}</span>}
      {isHere && live === null && <span class="here-word">you are here</span>}
      {found > 0 && <span class="hits">{found}</span>}
      {failures > 0 && (
        <span class="fail" title={`${failures} failed`}>
          {failures} ✗
        </span>
      )}
    </>
  );
}

function Price({ price }: { price: number }) {
  const share = Math.max(6, Math.min(100, (price / FULL_PRICE) * 100));
  return (
    <span class="cost" title={money(price)}>
      {price > 0 && <i style={{ width: `${share}%` }} />}
      {price > 0 && <em>{money(price)}</em>}
    </span>
  );
}

/** Which of the compared branches ends in this row. */
function Letters({ node, run, isFolded }: { node: number; run: number; isFolded: boolean }) {
  if (view.value !== 'compare' && compareB.value !== NONE) return null;
  const ends = (end: number): boolean => {
    if (end === NONE) return false;
    return isFolded ? isBelow(runs.value, end, run) : turnOf(columns, runs.value, end) === node;
  };
  return (
    <>
      {ends(compareA.value) && <span class="letter small l0">A</span>}
      {ends(compareB.value) && <span class="letter small l1">B</span>}
    </>
  );
}

/** The levels left of a run at which what is read goes on below. */
function litLevels(run: number): number {
  const { up, trunk, indent } = runs.value;
  let lit = 0;
  for (let at = run; numberAt(up, at) !== NONE; at = numberAt(up, at)) {
    const above = numberAt(up, at);
    const next = numberAt(trunk, above);
    if (next !== at && runsOnPath.value.has(next)) lit |= 1 << Math.min(30, numberAt(indent, above));
  }
  return lit;
}
