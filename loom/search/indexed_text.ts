import { textsOf } from '../../hub/base/node_blocks.js';
import type { Block, External } from '../../hub/protocol/node.js';

/** Everything in a node that a person may look for: what was asked of a call, then its text; thinking is not. */
export function searchableText(blocks: string, external: string | null): string {
  // Both were written by the writing thread from what the schema had let through.
  const texts = external === null ? [] : stringsIn(externalOf(external).call.input);
  return [...texts, ...textsOf(blocksOf(blocks))].join('\n');
}

function blocksOf(json: string): Block[] {
  return JSON.parse(json);
}

function externalOf(json: string): External {
  return JSON.parse(json);
}

/** The strings of a JSON value in their order; its depth is limited where it comes in. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(stringsIn);
}
