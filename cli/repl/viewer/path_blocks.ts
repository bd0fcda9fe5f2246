import type { Node, NodeId, Output } from '../../../hub/protocol/node.js';
import { type DisplayBlock, type DisplayCall, type DisplayText, nodeBlocks } from '../../display/block.js';
import { nodeText } from '../../render/node/node_text.js';
import { blockText, type ShownBlock } from '../../render/screens/viewer_block.js';
import { clean } from '../../render/text/clean.js';
import { formatBytes } from '../../render/text/ids_and_counts.js';

/** A block in the viewer, with its origin. */
export interface ViewedBlock {
  key: string;
  node: NodeId;
  /** The index of its node on the path, from the root; NOT_ON_PATH for an uncommitted one. */
  at: number;
  /** Replaced as an open block grows. */
  shown: ShownBlock | OpenBlock;
  /** Whether it is folded at first. */
  startsFolded: boolean;
  /** The stored output of a truncated call; null when all of it is shown. */
  more: Output | null;
}

/** A streaming text or a running call. */
export interface OpenBlock {
  kind: 'open';
  block: DisplayText | DisplayCall;
  sinceMs: number;
}

export const NOT_ON_PATH = Number.MAX_SAFE_INTEGER;

/** The blocks of a node: none for the root, several for an answer with thinking. */
export function blocksOf(node: Node): ViewedBlock[] {
  const text = nodeText(node);
  return nodeBlocks(node, 'us').flatMap((block) => {
    if (block.kind === 'call') return [callBlock(block, text, node.depth)];
    const shown = { kind: block.kind, text: block.kind === 'thinking' ? block.text : text };
    return shown.text.trim() === '' ? [] : [{ ...emptyBlock(block), at: node.depth, shown }];
  });
}

/** An uncommitted block. */
export function openBlock(block: DisplayText | DisplayCall, sinceMs: number): ViewedBlock {
  return { ...emptyBlock(block), shown: { kind: 'open', block, sinceMs } };
}

/** An ended call with its result. */
export function callBlock(block: DisplayCall, output: string, at: number): ViewedBlock {
  const { tool, input, outcome } = block;
  const { failed = false, remark = null, durationMs = null, stored = null } = outcome ?? {};
  // The model's view of a long output is an excerpt.
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

/** The call with its stored output, or the beginning of it. */
export function withOutput(block: ViewedBlock, text: string, isWhole: boolean): ViewedBlock {
  if (block.shown.kind !== 'call') return block;
  const { call } = block.shown;
  const rest = isWhole ? '' : `\n(the beginning; all of it: /output ${block.node.slice(0, 8)})`;
  const size = isWhole ? null : call.size;
  return { ...block, more: null, shown: { kind: 'call', call: { ...call, output: text + rest, size } } };
}

/** The copied text of a block; for a call, its output. */
export function copiedText({ shown }: ViewedBlock): string {
  if (shown.kind === 'open') return shown.block.kind === 'call' ? shown.block.printed : clean(shown.block.text);
  return shown.kind === 'call' ? shown.call.output : blockText(shown);
}
