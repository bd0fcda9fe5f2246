import type { Node, NodeId, Output } from '../../../hub/protocol/node.js';
import { type DisplayBlock, type DisplayCall, type DisplayText, nodeBlocks } from '../../display/block.js';
import { nodeText } from '../../render/node/node_text.js';
import { blockText, type ShownBlock } from '../../render/screens/viewer_block.js';
import { clean } from '../../render/text/clean.js';
import { formatBytes } from '../../render/text/ids_and_counts.js';

/** A block in the viewer, and where it comes from. */
export interface ViewedBlock {
  key: string;
  node: NodeId;
  /** The index of its node on the path, from the root; NOT_ON_PATH for an uncommitted one. */
  at: number;
  /** Replaced as an open block grows. */
  shown: ShownBlock | OpenBlock;
  /** Whether it is folded until somebody unfolds it. */
  startsFolded: boolean;
  /** What is stored of a call beside what is shown of it; null when that is all. */
  more: Output | null;
}

/** A text that is still being written, or a call that runs. */
export interface OpenBlock {
  kind: 'open';
  block: DisplayText | DisplayCall;
  sinceMs: number;
}

export const NOT_ON_PATH = Number.MAX_SAFE_INTEGER;

/** The blocks of a node of the path: nothing for the root, and several for an answer that was thought about. */
export function blocksOf(node: Node): ViewedBlock[] {
  const text = nodeText(node);
  return nodeBlocks(node, 'us').flatMap((block) => {
    if (block.kind === 'call') return [callBlock(block, text, node.depth)];
    const shown = { kind: block.kind, text: block.kind === 'thinking' ? block.text : text };
    return shown.text.trim() === '' ? [] : [{ ...emptyBlock(block), at: node.depth, shown }];
  });
}

/** A block that is not committed yet. */
export function openBlock(block: DisplayText | DisplayCall, sinceMs: number): ViewedBlock {
  return { ...emptyBlock(block), shown: { kind: 'open', block, sinceMs } };
}

/** A call that has ended, with what it gave. */
export function callBlock(block: DisplayCall, output: string, at: number): ViewedBlock {
  const { tool, input, outcome } = block;
  const { failed = false, remark = null, durationMs = null, stored = null } = outcome ?? {};
  // What a model is shown of a long output is an excerpt.
  const more = stored !== null && stored.size_bytes > Buffer.byteLength(output) ? stored : null;
  const size = more === null ? null : formatBytes(more.total_bytes);
  const call = { tool, input, output, failed, remark, durationMs, size };
  return { ...emptyBlock(block), at, startsFolded: true, more, shown: { kind: 'call', call } };
}

function emptyBlock(block: DisplayBlock): Omit<ViewedBlock, 'shown'> {
  const isThinking = block.kind === 'thinking';
  return { key: keyOf(block), node: block.id, at: NOT_ON_PATH, startsFolded: isThinking, more: null };
}

export function keyOf({ kind, id }: DisplayBlock): string {
  return kind === 'thinking' ? `${id} thinking` : id;
}

export function isCall({ shown }: ViewedBlock): boolean {
  return shown.kind === 'open' ? shown.block.kind === 'call' : shown.kind === 'call';
}

/** The same call with what was stored of it, or its beginning. */
export function withOutput(block: ViewedBlock, text: string, isWhole: boolean): ViewedBlock {
  if (block.shown.kind !== 'call') return block;
  const { call } = block.shown;
  const rest = isWhole ? '' : `\n(the beginning; all of it: /output ${block.node.slice(0, 8)})`;
  const size = isWhole ? null : call.size;
  return { ...block, more: null, shown: { kind: 'call', call: { ...call, output: text + rest, size } } };
}

/** What is copied of a block: of a call what it gave. */
export function copiedText({ shown }: ViewedBlock): string {
  if (shown.kind === 'open') return shown.block.kind === 'call' ? shown.block.printed : clean(shown.block.text);
  return shown.kind === 'call' ? shown.call.output : blockText(shown);
}
