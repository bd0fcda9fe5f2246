import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { NONE } from '../core/node_table.js';
import { ancestorOf, pathTo } from '../core/walk.js';
import { messagesOf } from '../reading/branch_text.js';
import { ChangedFiles, useFiles } from '../reading/changed_files.js';
import { LiveMessage } from '../reading/live_message.js';
import { lineOf, linesVersion, wantLines } from '../state/known_lines.js';
import { nodeOf, nodesVersion, wantNodes } from '../state/known_nodes.js';
import { compare } from '../state/moves.js';
import { columns, runningAt, version } from '../state/tree_state.js';
import { compareA, compareB, notice, view } from '../state/view_state.js';
import { count, money, seconds } from '../state/word_forms.js';
import { type BranchFacts, branchBelow, factsOfBranch } from './branch_facts.js';

const SHOWN = 600;

/** Two branches: what they share once, then each in a column headed by what it came to. */
export function Compare() {
  version.value;
  nodesVersion.value;
  linesVersion.value;
  const [a, b] = [compareA.value, compareB.value];
  const isReady = a !== NONE && b !== NONE;
  const ancestor = isReady ? ancestorOf(columns, a, b) : NONE;
  useEffect(() => {
    if (isReady) wantLines([ancestor]);
  });
  if (!isReady) {
    return (
      <p class="empty">
        Choose two branches: <kbd>c</kbd> in the tree, on one and then on the other
        {a === NONE ? '.' : '; the first is chosen.'}
      </p>
    );
  }
  const ends = [a, b] as const;
  const facts = ends.map((end) => factsOfBranch(branchBelow(ancestor, end)));
  return (
    <div class="compare" tabIndex={0} role="region" aria-label="Two branches">
      <div class="shared">
        Both begin with the same {count(pathTo(columns, ancestor).length, 'node')}, up to{' '}
        <b>{lineOf(ancestor)?.preview.slice(0, 140) || '…'}</b>{' '}
        <button type="button" class="link" onClick={() => compare(b, a)}>
          swap
        </button>{' '}
        <button type="button" class="link" onClick={() => (view.value = 'read')}>
          close
        </button>
      </div>
      {ends.map((end, side) => (
        <Side key={side === 0 ? 'A' : 'B'} end={end} ancestor={ancestor} facts={facts} side={side} />
      ))}
    </div>
  );
}

interface SideShape {
  end: number;
  ancestor: number;
  facts: readonly BranchFacts[];
  side: number;
}

function Side({ end, ancestor, facts, side }: SideShape) {
  const below = branchBelow(ancestor, end);
  const shown = below.slice(0, SHOWN);
  const own = facts[side];
  const isMissing = shown.some((node) => nodeOf(node) === null);
  useEffect(() => {
    if (!isMissing) return;
    const path = pathTo(columns, end);
    const start = path.length - below.length;
    wantNodes(path, start, start + shown.length).catch((error: unknown) => {
      notice.value = `A branch could not be read: ${String(error)}`;
    });
  }, [end, below.length, isMissing]);
  const files = useFiles(ancestor, end);
  const turn = runningAt.value.get(end);
  if (own === undefined) return null;
  return (
    <section class="side-column" aria-label={`branch ${side === 0 ? 'A' : 'B'}`}>
      <div class="side-head">
        <span class={`letter l${side}`}>{side === 0 ? 'A' : 'B'}</span>
        <FactList own={own} facts={facts} />
        {files === null && <WrittenFiles own={own} other={facts[1 - side]} />}
      </div>
      {files !== null && <ChangedFiles files={files} />}
      {messagesOf(shown, { withForks: false })}
      {below.length > SHOWN && <p class="hint">{count(below.length - SHOWN, 'later node')}: read the branch alone.</p>}
      {turn !== undefined && <LiveMessage turn={turn} />}
    </section>
  );
}

function FactList({ own, facts }: { own: BranchFacts; facts: readonly BranchFacts[] }) {
  const most = (of: (one: BranchFacts) => number): number => Math.max(1, ...facts.map(of));
  return (
    <dl>
      <Fact name="turns">{own.turns}</Fact>
      <Fact name="calls" share={own.calls / most(({ calls }) => calls)}>
        {own.calls}
      </Fact>
      <Fact name="failed" isBad={own.failures > 0}>
        {own.failures}
      </Fact>
      <Fact name="cost" share={own.price / most(({ price }) => price)}>
        {money(own.price)}
      </Fact>
      <Fact name="time">{seconds(own.timeMs)}</Fact>
    </dl>
  );
}

interface FactShape {
  name: string;
  children: ComponentChildren;
  share?: number;
  isBad?: boolean;
}

function Fact({ name, children, share, isBad = false }: FactShape) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={isBad ? 'bad' : undefined}>
        {children}
        {share !== undefined && (
          <i class="bar">
            <i style={{ width: `${share * 100}%` }} />
          </i>
        )}
      </dd>
    </div>
  );
}

function WrittenFiles({ own, other }: { own: BranchFacts; other: BranchFacts | undefined }) {
  return (
    <p class="files">
      {[...own.files].map(([file, times]) => (
        <code key={file} class={other?.files.has(file) ? 'both' : undefined}>
          {file}
          {times > 1 ? ` ×${times}` : ''}
          {other?.files.has(file) && <span class="sr"> changed on both</span>}
        </code>
      ))}
    </p>
  );
}
