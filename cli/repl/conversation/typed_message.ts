import type { Block } from '../../../hub/protocol/node.js';

/** A message as it was typed, and as a model is shown it. */
export interface TypedMessage {
  text: string;
  blocks: Extract<Block, { type: 'text' } | { type: 'image' }>[];
}
