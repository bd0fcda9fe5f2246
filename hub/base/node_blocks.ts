import type { ModelMessage } from '../protocol/methods/context_methods.js';
import type { Block, External, Sha256 } from '../protocol/node.js';

// Code that depends on the type of a block is a switch without a default, here or in the one part that needs it: a new type
// in the schema does not compile until every switch handles it.

/** A block of a node, or a part of a message to a model, which has the results of calls as well. */
type Part = ModelMessage['content'][number];
type OfType<T extends Part['type']> = Extract<Part, { type: T }>;

/** The blocks of one type, for what concerns that type alone. */
export function blocksOfType<T extends Part['type']>(parts: readonly Part[], type: T): OfType<T>[] {
  return parts.filter((part): part is OfType<T> => part.type === type);
}

/** The text of a block for a reader; null where it has none. Thinking does not count. */
export function spokenText(part: Part): string | null {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'thinking':
    case 'call':
    case 'image':
    case 'kept':
    case 'result':
      return null;
  }
}

/** The texts of blocks for a reader. */
export function textsOf(parts: readonly Part[]): string[] {
  return parts.map(spokenText).filter((text) => text !== null);
}

/** The whole text of blocks for a reader. */
export function textOf(parts: readonly Part[], separator = ''): string {
  return textsOf(parts).join(separator);
}

/** The same block with its text for a reader changed. */
export function withSpokenText(block: Block, change: (text: string) => string): Block {
  switch (block.type) {
    case 'text':
      return { ...block, text: change(block.text) };
    case 'thinking':
    case 'call':
    case 'image':
    case 'kept':
      return block;
  }
}

/** The text of a block as its author wrote it, thinking included; null where the block is data. */
export function writtenText(block: Block): string | null {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block.text;
    case 'call':
    case 'image':
    case 'kept':
      return null;
  }
}

/** The text of blocks for a reader, with a line for each image. */
export function readableText(blocks: readonly Block[]): string {
  return blocks
    .map(readableBlock)
    .filter((text) => text !== '')
    .join('\n');
}

function readableBlock(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return imageLabel(block);
    case 'thinking':
    case 'call':
    case 'kept':
      return '';
  }
}

/** The line that stands for an image where it cannot be shown. */
export function imageLabel({ width, height, media_type }: OfType<'image'>): string {
  return `[image ${width}x${height} ${media_type}]`;
}

/** The stored outputs that a node points at: purge, export, fsck and backup keep them for as long as the node stays. */
export function outputsOf({ blocks, external }: { blocks: readonly Block[]; external: External | null }): Set<Sha256> {
  const output = external?.output ?? null;
  return new Set([...blocks.flatMap(outputsOfBlock), ...(output === null ? [] : [output.sha256])]);
}

/** The stored outputs that a block points at. */
export function outputsOfBlock(block: Block): Sha256[] {
  switch (block.type) {
    case 'image':
      return [block.sha256];
    case 'text':
    case 'thinking':
    case 'call':
    case 'kept':
      return [];
  }
}
