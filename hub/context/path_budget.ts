import { type InternalCaller, pathPages } from '../base/internal_call.js';
import { textOf } from '../base/node_blocks.js';
import { sentDepth } from '../base/path/sent_path.js';
import type { Node, NodeId } from '../protocol/node.js';
import { callLabel } from './call_label.js';

/** The part of the budget for the beginning of a path that does not fit; the rest goes to its end. */
const HEAD_PART = 1 / 4;
/** A node's own text gets at most this part of the budget. */
const TEXT_PART = 1 / 4;
/** Bytes reserved for the speaker of a node, and for a remark on what was left out. */
const AROUND_BYTES = 30;
const REMARK_BYTES = 150;
/** Bytes reserved for the line that replaces the middle. */
const GAP_BYTES = 60;

export interface Budget {
  node: NodeId;
  fresh: boolean;
  others: boolean;
  handleBytesMax: number;
  totalBytesMax: number;
}

/** Which nodes of a path are rendered, and the cursors to read them again. */
export interface PathPlan {
  nodes: number;
  handles: number;
  /** The depth from which on a model is sent the path. */
  sentDepth: number;
  /** Depths: nodes from `headEnd` up to `tailStart` are left out; equal when all fit. */
  headEnd: number;
  tailStart: number;
  /** The cursor of each page, with the depth of its first node. */
  pages: { cursor: string | null; depth: number }[];
}

/** Chooses the nodes to render by their sizes alone, without keeping their texts in memory. */
export async function planPath(reach: InternalCaller, budget: Budget): Promise<PathPlan> {
  const plan: PathPlan = { ...{ nodes: 0, handles: 0, sentDepth: 0, headEnd: 0, tailStart: 0 }, pages: [] };
  const selection = createSelection(Math.max(0, budget.totalBytesMax - GAP_BYTES));
  for await (const { nodes, cursor } of pathPages(reach, budget.node)) {
    plan.pages.push({ cursor, depth: nodes[0]?.depth ?? 0 });
    for (const node of nodes) {
      plan.sentDepth = sentDepth(plan.sentDepth, node);
      if (node.kind === 'external') plan.handles += 1;
      if (node.role !== 'root') plan.nodes += 1;
      selection.take(node.depth, costOf(node, budget));
    }
  }
  return { ...plan, ...selection.result() };
}

/** The most bytes that the text of one node gets, and the content of one handle. */
export function bytesPerNode({ totalBytesMax, handleBytesMax }: Budget): { text: number; handle: number } {
  const text = Math.max(1, Math.floor(totalBytesMax * TEXT_PART));
  return { text, handle: Math.min(handleBytesMax, Math.max(1, Math.floor(totalBytesMax / 2))) };
}

function costOf(node: Node, budget: Budget): number {
  if (node.role === 'root') return 0;
  const most = bytesPerNode(budget);
  const shown = Buffer.byteLength(textOf(node.blocks));
  if (node.kind === 'text') return AROUND_BYTES + within(shown, most.text);
  const label = Buffer.byteLength(callLabel(node.external.call));
  return AROUND_BYTES + label + within(node.external.output?.total_bytes ?? shown, most.handle);
}

function within(bytes: number, most: number): number {
  return bytes <= most ? bytes : most + REMARK_BYTES;
}

/** Selects the beginning of a list of costs and as much of its end as fits the rest of the budget. */
function createSelection(bytesMax: number) {
  let headBytes = 0;
  let headEnd = 0;
  let isHeadOpen = true;
  let tailBytes = 0;
  let tail: { depth: number; cost: number }[] = [];
  let dropped = 0;
  return {
    take(depth: number, cost: number): void {
      isHeadOpen &&= headBytes + cost <= bytesMax * HEAD_PART;
      if (isHeadOpen) {
        headBytes += cost;
        headEnd = depth + 1;
        return;
      }
      tail.push({ depth, cost });
      tailBytes += cost;
      while (tailBytes > bytesMax - headBytes && dropped < tail.length - 1) {
        tailBytes -= tail[dropped]?.cost ?? 0;
        dropped += 1;
      }
      // Dropped entries are removed in batches: moving the rest each time would take quadratic time.
      if (dropped * 2 > tail.length) {
        tail = tail.slice(dropped);
        dropped = 0;
      }
    },
    result: () => ({ headEnd, tailStart: tail[dropped]?.depth ?? headEnd }),
  };
}
