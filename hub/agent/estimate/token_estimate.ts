import type { Block, Node, Settings } from '../../protocol/node.js';
import type { TokenUsage } from '../model/provider.js';

const BYTES_PER_TOKEN = 4;
/** What providers count for an image: by its area, after making a large one smaller. */
const IMAGE_PIXELS_PER_TOKEN = 750;
const IMAGE_TOKENS_MAX = 1_600;
/** What stands around a block on the wire. */
const AROUND_BYTES = 20;

/** What a provider has counted of a path: that many tokens for everything that is sent before its first nodes, and for these. */
export interface Measure {
  tokens: number;
  nodes: number;
}

/** About how many tokens a request for a path is: what was counted of it, and a token for 4 bytes of the rest. */
export function pathTokens(
  path: readonly Node[],
  { measure, prefix }: { measure: Measure | null; prefix: Pick<Settings, 'system_prompt' | 'tools'> },
): number {
  if (measure !== null) return measure.tokens + nodesTokens(path.slice(measure.nodes));
  return tokensOf(prefix.system_prompt) + tokensOf(JSON.stringify(prefix.tools)) + nodesTokens(path);
}

/** What a request and its answer were: all of that is sent with the next one. */
export function usedTokens({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: TokenUsage): number {
  return input + output + cacheRead + cacheWrite5m + cacheWrite1h;
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

function nodesTokens(nodes: readonly Node[]): number {
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
    case 'image':
      return Math.min(IMAGE_TOKENS_MAX, Math.ceil((block.width * block.height) / IMAGE_PIXELS_PER_TOKEN));
  }
}

function wrappedTokens(text: string): number {
  return Math.ceil((Buffer.byteLength(text) + AROUND_BYTES) / BYTES_PER_TOKEN);
}
