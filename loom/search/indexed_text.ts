import { textsOf } from '../../hub/base/node_blocks.js';
import type { Block, External } from '../../hub/protocol/node.js';

/** The searchable text of a node: the input of its call, then its text. Thinking is left out; a damaged node may have none. */
export function searchableText(blocks: string, external: string | null): string {
  try {
    return textIn(blocks, external);
  } catch {
    return ''; // it is not even JSON any more
  }
}

function textIn(blocks: string, external: string | null): string {
  // The writing thread stored both after the schema had parsed them.
  const texts = external === null ? [] : stringsIn(externalOf(external).call.input);
  return [...texts, ...textsOf(blocksOf(blocks))].join('\n');
}

function blocksOf(json: string): Block[] {
  return JSON.parse(json);
}

function externalOf(json: string): External {
  return JSON.parse(json);
}

/** The strings of a JSON value in their order; the protocol limits its depth. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(stringsIn);
}
