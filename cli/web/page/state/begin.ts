import { batch } from '@preact/signals';
import type { Node } from '../../../../hub/protocol/node.js';
import { columnNode } from '../core/column_node.js';
import { NONE, numberAt } from '../core/node_table.js';
import { addNode, createColumns, indexOf } from '../core/tree_columns.js';
import { leafBelow } from '../core/walk.js';
import type { MarkPlace, Source } from '../source/source.js';
import { keepNodes } from './known_nodes.js';
import { placeCursor } from './moves.js';
import { replaceColumns } from './replace_columns.js';
import { away, columns, costs, focus, here, lanes, leaf, marks, running, runs, source, version } from './tree_state.js';
import { notice, nowMs, scrollTarget } from './view_state.js';

const WAIT_MS = 50;
const LARGE_WAIT_MS = 250;
const LARGE_NODES = 20_000;
const READ_WAIT_MS = 1_000;
/** What is read again and again may take a tenth of the time. */
const READ_SHARE = 10;

/** Takes a tree from its source, and what happens in it from then on. */
export async function begin(from: Source): Promise<void> {
  const [seq] = await Promise.all([from.here(), from.load(columns)]);
  batch(() => {
    source.value = from;
    version.value += 1;
    here.value = seq === null ? NONE : indexOf(columns, seq);
    if (columns.count === 0) return;
    leaf.value = here.value === NONE ? leafBelow(runs.value, 0) : here.value;
    focus.value = leaf.value;
    scrollTarget.value = { node: leaf.value };
  });
  if (columns.count > 0) placeCursor(leaf.value);
  const tell = (error: unknown): void => {
    notice.value = `Not all could be read: ${String(error)}`;
  };
  from.marks().then(takeMarks, tell);
  // Without prices the page is still a page.
  from.costs().then(takeCosts, () => undefined);
  follow(from);
}

/** Marks by the `seq` of their nodes. */
export function takeMarks(list: readonly MarkPlace[]): void {
  const names = new Map<number, string[]>();
  for (const { name, seq } of list) names.set(seq, [...(names.get(seq) ?? []), name]);
  marks.value = names;
}

function takeCosts(found: Awaited<ReturnType<Source['costs']>>): void {
  costs.value = found;
}

/** Reads something again and again: after a while that grows with the time that it takes, and once at a time. */
function createReader<T>(read: () => Promise<T>, take: (found: T) => void): () => void {
  let state: 'idle' | 'reading' | 'wanted' = 'idle';
  let waitMs = READ_WAIT_MS;
  const begin = (): void => {
    const startedAtMs = performance.now();
    const end = (): void => {
      waitMs = Math.max(READ_WAIT_MS, (performance.now() - startedAtMs) * READ_SHARE);
      const isWanted = state === 'wanted';
      state = 'idle';
      if (isWanted) soon();
    };
    // Without it a page is still a page.
    read().then(take).then(end, end);
  };
  const soon = (): void => {
    if (state === 'idle') setTimeout(begin, waitMs);
    state = state === 'idle' ? 'reading' : 'wanted';
  };
  return soon;
}

function follow(from: Source): void {
  const queue = createNodeQueue(() => from);
  const costsSoon = createReader(from.costs, takeCosts);
  const raceSoon: () => void = createReader(from.race, (found) => {
    lanes.value = found;
    if (found.some(({ isUnderWay }) => isUnderWay)) raceSoon();
  });
  raceSoon();
  from.live({
    node: (node, parent) => queue.add(node, parent),
    running: (turns) => {
      running.value = turns;
      nowMs.value = Date.now();
    },
    marks: takeMarks,
    costs: costsSoon,
    stepped: raceSoon,
    failed: (reason) => {
      notice.value = `A turn has failed: ${reason}`;
    },
    replaced(reason) {
      notice.value = reason;
      queue.readAnew();
    },
    away: (reason) => {
      away.value = reason;
    },
  });
  setInterval(() => {
    if (running.value.length > 0) nowMs.value = Date.now();
  }, 1_000);
}

/** New nodes wait and are taken in one step: one by one each would compute the whole tree. */
function createNodeQueue(source: () => Source) {
  const nodes: NewNode[] = [];
  let isReading = false;
  let isStale = false;
  const take = (): void => {
    if (!isReading && takeNodes(nodes.splice(0))) readAnew();
  };
  const readAnew = (): void => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    isStale = false;
    const fresh = createColumns();
    const end = (): void => {
      isReading = false;
      if (isStale) readAnew();
      else if (nodes.length > 0) take();
    };
    source()
      .load(fresh)
      .then(() => replaceColumns(fresh))
      .then(end, (error: unknown) => {
        notice.value = `The tree could not be read anew: ${String(error)}`;
        end();
      });
  };
  return {
    add(node: Node, parent: number | null): void {
      nodes.push({ node, parent });
      if (nodes.length > 1 || isReading) return;
      setTimeout(take, columns.count > LARGE_NODES ? LARGE_WAIT_MS : WAIT_MS);
    },
    readAnew,
  };
}

interface NewNode {
  node: Node;
  parent: number | null;
}

/** Adds nodes; what is read goes along when it goes on. Returns whether one was made before a sibling that is here. */
function takeNodes(nodes: readonly NewNode[]): boolean {
  let isLate = false;
  batch(() => {
    for (const { node, parent } of nodes) {
      const above = parent === null ? NONE : indexOf(columns, parent);
      const follows = above === leaf.value && numberAt(columns.childCount, above) <= 0;
      const one = columnNode(node, parent);
      isLate ||= numberAt(columns.at, numberAt(columns.lastChild, above)) > one.at;
      addNode(columns, one);
      if (follows) leaf.value = indexOf(columns, node.seq);
    }
    keepNodes(nodes.map(({ node }) => node));
    version.value += 1;
  });
  return isLate;
}
