import { imageLabel } from '../../base/node_blocks.js';
import type { ModelMessage } from '../../protocol/methods/context_methods.js';
import type { Block } from '../../protocol/node.js';

type Part = ModelMessage['content'][number];

/** The same messages with a line in the place of each image, for a server that refuses one of them. */
export function withoutImages(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map(({ role, content }) => ({ role, content: content.map(partWithout) }));
}

function partWithout(part: Part): Part {
  return part.type === 'result' ? { ...part, content: part.content.map(blockWithout) } : blockWithout(part);
}

function blockWithout(block: Block): Block {
  return block.type === 'image' ? { type: 'text', text: `${imageLabel(block)} (left out: it is not accepted)` } : block;
}
