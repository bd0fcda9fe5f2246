import { textsOf } from '../../../../hub/base/node_blocks.js';
import type { Block, Node } from '../../../../hub/protocol/node.js';

/** What a node says to a reader. */
export function saidBy({ blocks }: Pick<Node, 'blocks'>): string {
  return textsOf(blocks).join('\n');
}

export function thoughtBy({ blocks }: Pick<Node, 'blocks'>): string {
  return blocks.flatMap((block) => (block.type === 'thinking' ? [block.text] : [])).join('\n');
}

export function imagesOf({ blocks }: Pick<Node, 'blocks'>): Extract<Block, { type: 'image' }>[] {
  return blocks.filter((block) => block.type === 'image');
}

/** Whether a node says nothing: its calls stand for it. */
export function isSilent(node: Node): boolean {
  return node.role === 'root' || (node.role === 'assistant' && saidBy(node) === '' && thoughtBy(node) === '');
}

/** A text field of a call's input; null where it has none. */
export function inputField(input: unknown, name: string): string | null {
  const value: unknown = input !== null && typeof input === 'object' ? Reflect.get(input, name) : null;
  return typeof value === 'string' ? value : null;
}
