import type { AgentEvent } from '../../../hub/protocol/turn.js';
import type { Status, TokensCounted } from '../front/front.js';

type Usage = Extract<AgentEvent, { kind: 'usage_counted' }>['usage'];

/** Counts tokens, of the turn and of all. */
export interface TokenCount {
  /** A turn begins. */
  begin(): void;
  /** Counts a request, and tells what it comes to. */
  add(usage: Usage): Status['tokens'];
}

export function countTokens(): TokenCount {
  let turn = noTokens();
  let total = noTokens();
  return {
    begin() {
      turn = noTokens();
    },
    add(usage) {
      turn = plus(turn, usage);
      total = plus(total, usage);
      return { turn, total };
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

function noTokens(): TokensCounted {
  return { input: 0, cached: 0, output: 0 };
}
