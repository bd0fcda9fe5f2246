import type { Block, Node, Settings } from '../../protocol/node.js';
import type { TokenUsage } from '../model/provider.js';

const BYTES_PER_TOKEN = 4;
/** Providers count an image by its area, after shrinking a large one. */
const IMAGE_PIXELS_PER_TOKEN = 750;
const IMAGE_TOKENS_MAX = 1_600;
/** The bytes around a block on the wire. */
const BLOCK_FRAME_BYTES = 20;

/** A provider's count: the tokens of the first nodes of a path and of all that is sent before them. */
export interface Measure {
  tokens: number;
  nodes: number;
}

/** An estimate of the tokens of a request for a path: the count, and a token for 4 bytes of the rest. */
export function pathTokens(
  path: readonly Node[],
  { measure, prefix }: { measure: Measure | null; prefix: Pick<Settings, 'system_prompt' | 'tools'> },
): number {
  if (measure !== null) return measure.tokens + nodesTokens(path.slice(measure.nodes));
  return tokensOf(prefix.system_prompt) + tokensOf(JSON.stringify(prefix.tools)) + nodesTokens(path);
}

/** The tokens of a request and its answer: the next request sends all of them. */
export function totalTokens({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: TokenUsage): number {
  return input + output + cacheRead + cacheWrite5m + cacheWrite1h;
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

export function nodesTokens(nodes: readonly Node[]): number {
  return nodes.reduce((sum, { blocks }) => sum + blocks.reduce((all, block) => all + blockTokens(block), 0), 0);
}

function blockTokens(block: Block): number {
  switch (block.type) {
    case 'text':
      return wrappedTokens(block.text);
    case 'thinking':
      return block.signature === null ? 0 : wrappedTokens(block.text); // without a signature it is never sent
    case 'call':
      return wrappedTokens(block.tool + JSON.stringify(block.input));
    case 'kept':
      return 0;
    case 'image':
      return Math.min(IMAGE_TOKENS_MAX, Math.ceil((block.width * block.height) / IMAGE_PIXELS_PER_TOKEN));
  }
}

function wrappedTokens(text: string): number {
  return Math.ceil((Buffer.byteLength(text) + BLOCK_FRAME_BYTES) / BYTES_PER_TOKEN);
}
