import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { NONE, numberAt } from '../core/node_table.js';
import { nodeOf, nodesVersion, wantNodes } from '../state/known_nodes.js';
import { columns, costs, focus, here, leaf, onPath, path, runningAt, version } from '../state/tree_state.js';
import { notice, PAPER_NODES, paper, scrollTarget } from '../state/view_state.js';
import { count } from '../state/word_forms.js';
import { BranchFiles } from './changed_files.js';
import { Fork } from './fork.js';
import { LiveMessage } from './live_message.js';
import { Message } from './message.js';
import { isSilent } from './said_text.js';

const PAGE = 150;
const SHOWN = 3 * PAGE;
const BEFORE_FOCUS = 20;

/** What was said on the branch that is read, with the other ways at each fork. */
export function Reading() {
  const from = useSignal(0);
  const shownLeaf = useRef(NONE);
  const box = useRef<HTMLDivElement>(null);
  nodesVersion.value;
  const all = path.value;
  if (shownLeaf.current !== leaf.value || isOutside(all, from.peek())) {
    shownLeaf.current = leaf.value;
    from.value = startFor(all);
  }
  const start = paper.value ? 0 : from.value;
  const end = Math.min(all.length, paper.value ? PAPER_NODES : start + SHOWN);
  const isMissing = all.slice(start, end).some((node) => nodeOf(node) === null);
  useEffect(() => {
    if (!isMissing) return;
    wantNodes(all, start, end).catch((error: unknown) => {
      notice.value = `What was said could not be read: ${String(error)}`;
    });
  }, [leaf.value, start, end, isMissing]);
  const done = useRef<object | null>(null);
  const target = scrollTarget.value;
  useLayoutEffect(() => {
    if (target.node === NONE || done.current === target || isMissing) return;
    done.current = target;
    scrollTo(target.node);
  });
  return (
    <div class="reading" ref={box} tabIndex={0} role="region" aria-label="What was said">
      <div class="column">
        {start > 0 && (
          <More words={count(start, 'earlier node')} onClick={() => (from.value = Math.max(0, start - PAGE))} />
        )}
        {messagesOf(all.slice(start, end), { withForks: true })}
        <LiveTail />
        {leaf.value !== NONE && end === all.length && <BranchFiles end={leaf.value} />}
        {end < all.length && (
          <More words={count(all.length - end, 'later node')} onClick={() => (from.value = start + PAGE)} />
        )}
      </div>
    </div>
  );
}

function isOutside(all: readonly number[], from: number): boolean {
  const at = all.indexOf(focus.value);
  return at !== -1 && scrollTarget.value.node === focus.value && (at < from || at >= from + SHOWN);
}

function startFor(all: readonly number[]): number {
  const at = all.indexOf(focus.value);
  return Math.max(0, Math.min(all.length - PAGE, at === -1 ? all.length : at - BEFORE_FOCUS));
}

/** Scrolls to a node; a silent one stands before its first call. */
function scrollTo(node: number): void {
  for (
    let at = node, steps = 0;
    at !== NONE && steps < BEFORE_FOCUS;
    at = numberAt(columns.firstChild, at), steps += 1
  ) {
    const element = document.getElementById(`n${columns.seq[at]}`);
    if (element === null) continue;
    element.scrollIntoView({ block: 'start' });
    return;
  }
}

function More({ words, onClick }: { words: string; onClick: () => void }) {
  return (
    <button type="button" class="more" onClick={onClick}>
      {words}
    </button>
  );
}

/** Messages, with the calls that follow one another in one box. */
export function messagesOf(nodes: readonly number[], { withForks }: { withForks: boolean }): ComponentChildren[] {
  const drawn: ComponentChildren[] = [];
  let calls: ComponentChildren[] = [];
  const closeCalls = (seq: number): void => {
    if (calls.length > 0) drawn.push(<CallBox key={`calls${seq}`} calls={calls} />);
    calls = [];
  };
  for (const index of nodes) {
    const node = nodeOf(index);
    if (node === null) continue;
    const message = <Message key={node.seq} node={node} cost={costs.value.get(node.seq)} />;
    if (node.kind === 'external') calls.push(message);
    else if (!isSilent(node)) {
      closeCalls(node.seq);
      drawn.push(message);
    }
    const after = withForks ? afterNode(index) : [];
    if (after.length > 0) closeCalls(node.seq);
    drawn.push(...after);
  }
  closeCalls(0);
  return drawn;
}

/** What stands between a node and the next: the ways on from a fork, and where the person is. */
function afterNode(index: number): ComponentChildren[] {
  return [
    ...(numberAt(columns.childCount, index) > 1 ? [<Fork key={`fork${index}`} at={index} />] : []),
    ...(here.value === index ? [<HereLine key="here" />] : []),
  ];
}

function CallBox({ calls }: { calls: ComponentChildren[] }) {
  return <div class="calls">{calls}</div>;
}

function HereLine() {
  return (
    <div class="here-line">
      <span>you are here</span>
    </div>
  );
}

/** The turns that run at the end of what is read. */
function LiveTail() {
  version.value;
  const alive = [...runningAt.value].filter(([node]) => node === leaf.value && onPath.value.has(node));
  return (
    <>
      {alive.map(([, turn]) => (
        <LiveMessage key={turn.turn} turn={turn} />
      ))}
    </>
  );
}
