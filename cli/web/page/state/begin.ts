import { batch } from '@preact/signals';
import type { Node } from '../../../../hub/protocol/node.js';
import { columnNode } from '../core/column_node.js';
import { NONE, numberAt } from '../core/node_table.js';
import { addNode, indexOf } from '../core/tree_columns.js';
import { leafBelow } from '../core/walk.js';
import type { MarkPlace, Source } from '../source/source.js';
import { keepNodes } from './known_nodes.js';
import { placeCursor } from './moves.js';
import { away, columns, costs, focus, here, leaf, marks, running, runs, source, version } from './tree_state.js';
import { notice, nowMs, scrollTarget } from './view_state.js';

const WAIT_MS = 50;
const LARGE_WAIT_MS = 250;
const LARGE_NODES = 20_000;
const COSTS_WAIT_MS = 1_000;

/** Takes a tree from its source, and what happens in it from then on. */
export async function begin(from: Source): Promise<void> {
  await from.load(columns);
  const seq = await from.here();
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
  takeCosts(from);
  follow(from);
}

/** Marks by the `seq` of their nodes. */
export function takeMarks(list: readonly MarkPlace[]): void {
  const names = new Map<number, string[]>();
  for (const { name, seq } of list) names.set(seq, [...(names.get(seq) ?? []), name]);
  marks.value = names;
}

function takeCosts(from: Source): void {
  // Without prices the page is still a page.
  from.costs().then(
    (found) => {
      costs.value = found;
    },
    () => undefined,
  );
}

function follow(from: Source): void {
  let isPending = false;
  const queue = createNodeQueue();
  from.live({
    node: (node, parent) => queue.add(node, parent),
    running: (turns) => {
      running.value = turns;
      nowMs.value = Date.now();
    },
    marks: takeMarks,
    costs: () => {
      if (isPending) return;
      isPending = true;
      setTimeout(() => {
        isPending = false;
        takeCosts(from);
      }, COSTS_WAIT_MS);
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
function createNodeQueue() {
  const nodes: NewNode[] = [];
  return {
    add(node: Node, parent: number | null): void {
      nodes.push({ node, parent });
      if (nodes.length > 1) return;
      setTimeout(() => takeNodes(nodes.splice(0)), columns.count > LARGE_NODES ? LARGE_WAIT_MS : WAIT_MS);
    },
  };
}

interface NewNode {
  node: Node;
  parent: number | null;
}

/** Adds nodes; what is read goes along when it goes on. */
function takeNodes(nodes: readonly NewNode[]): void {
  batch(() => {
    for (const { node, parent } of nodes) {
      const above = parent === null ? NONE : indexOf(columns, parent);
      const follows = above === leaf.value && numberAt(columns.childCount, above) <= 0;
      addNode(columns, columnNode(node, parent));
      if (follows) leaf.value = indexOf(columns, node.seq);
    }
    keepNodes(nodes.map(({ node }) => node));
    version.value += 1;
  });
}
