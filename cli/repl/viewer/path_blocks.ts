import { blocksOfType } from '../../../hub/base/node_blocks.js';
import type { Node, NodeId, Output } from '../../../hub/protocol/node.js';
import { outcomeOf } from '../../display/block.js';
import type { Look } from '../../render/look/look.js';
import { nodeText } from '../../render/node/node_text.js';
import { blockText, type ShownBlock } from '../../render/screens/viewer_block.js';
import { formatBytes } from '../../render/text/ids_and_counts.js';
import type { TextRow } from '../../render/text/wrap_words.js';

/** A block of the transcript of a path, and where it comes from. */
export interface ViewedBlock {
  key: string;
  node: NodeId;
  /** Which node of the path it is, from the root; of what is still coming none. */
  at: number;
  shown: ShownBlock | { kind: 'coming'; coming: ComingBlock };
  /** Whether it is folded until somebody unfolds it. */
  startsFolded: boolean;
  /** What is stored of a call beside what is shown of it; null when that is all. */
  more: Output | null;
}

/** A block that grows while it is looked at. */
export interface ComingBlock {
  rows(look: Look, isFolded: boolean): readonly TextRow[];
  text(): string;
  isCall: boolean;
}

/** Where a block stands that is no part of the path yet. */
export const NOT_ON_PATH = Number.MAX_SAFE_INTEGER;

/** What a node of a path is shown as: nothing for the root, and several blocks for an answer that was thought about. */
export function blocksOf(node: Node): ViewedBlock[] {
  const here = { node: node.id, at: node.depth, more: null, startsFolded: false };
  if (node.kind === 'external') return [callBlock(node)];
  const text = nodeText(node);
  const said = (kind: 'said' | 'answer' | 'summary'): ViewedBlock[] =>
    text.trim() === '' ? [] : [{ ...here, key: node.id, shown: { kind, text } }];
  switch (node.role) {
    case 'root':
      return [];
    case 'user':
      return said('said');
    case 'summary':
      return said('summary');
    case 'assistant': {
      const thought = blocksOfType(node.blocks, 'thinking')
        .map(({ text }) => text)
        .join('\n');
      const shown = { kind: 'thinking' as const, text: thought };
      const thinking = { ...here, key: thinkingKey(node.id), startsFolded: true, shown };
      return [...(thought.trim() === '' ? [] : [thinking]), ...said('answer')];
    }
  }
}

export function thinkingKey(node: NodeId): string {
  return `${node} thinking`;
}

function callBlock(node: Extract<Node, { kind: 'external' }>): ViewedBlock {
  const { external, id, depth } = node;
  const { failed, remark } = outcomeOf(node);
  const output = nodeText(node);
  const stored = external.output;
  // What a model is shown of a long output is an excerpt.
  const more = stored !== null && stored.size_bytes > Buffer.byteLength(output) ? stored : null;
  const { tool, input } = external.call;
  const size = more === null ? null : formatBytes(more.total_bytes);
  const call = { tool, input, output, failed, remark, durationMs: external.duration_ms, size };
  return { key: id, node: id, at: depth, startsFolded: true, more, shown: { kind: 'call', call } };
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
  if (shown.kind === 'coming') return shown.coming.text();
  return shown.kind === 'call' ? shown.call.output : blockText(shown);
}
