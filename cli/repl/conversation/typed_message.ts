import type { Block } from '../../../hub/protocol/node.js';

/** A message as typed, and as sent to the model. */
export interface TypedMessage {
  text: string;
  blocks: Extract<Block, { type: 'text' } | { type: 'image' }>[];
}
