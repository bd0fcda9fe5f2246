import type { AgentEvent } from '../../../hub/protocol/turn.js';
import type { TokensCounted } from '../front/front.js';

type Usage = Extract<AgentEvent, { kind: 'usage_counted' }>['usage'];

export const NO_TOKENS: TokensCounted = { input: 0, cached: 0, output: 0 };

/** Sums the tokens of a turn. */
export interface TokenCount {
  /** Starts the sum of a new turn. */
  begin(): void;
  /** Adds a request and returns the sum. */
  add(usage: Usage): TokensCounted;
}

export function countTokens(): TokenCount {
  let turn = NO_TOKENS;
  return {
    begin() {
      turn = NO_TOKENS;
    },
    add(usage) {
      turn = plus(turn, usage);
      return turn;
    },
  };
}

function plus({ input, cached, output }: TokensCounted, usage: Usage): TokensCounted {
  const { tokens_in, tokens_cache_read, tokens_cache_write_5m, tokens_cache_write_1h, tokens_out } = usage;
  return {
    input: input + tokens_in + tokens_cache_read + tokens_cache_write_5m + tokens_cache_write_1h,
    cached: cached + tokens_cache_read,
    output: output + tokens_out,
  };
}
