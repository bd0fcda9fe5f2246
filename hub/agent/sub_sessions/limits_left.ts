import { HubError } from '../../base/error.js';
import type { TurnLimits } from '../../protocol/turn.js';
import { ITERATIONS_DEFAULT, type Spending, timeLimitMs } from '../request/spending.js';

/** What is left of a turn's limits, for somebody who works for it; refused when nothing is. */
export function limitsLeft(
  limits: TurnLimits,
  { iterations, usage, price, shared }: Spending,
  elapsedMs: number,
): TurnLimits {
  const tokens = usage === null ? 0 : Object.values(usage).reduce((sum, some) => sum + some, 0);
  return {
    iterations: left('answers', (limits.iterations ?? ITERATIONS_DEFAULT) - iterations),
    tokens: limits.tokens === null ? null : left('tokens', limits.tokens - tokens),
    cost_microdollars:
      limits.cost_microdollars === null ? null : left('money', limits.cost_microdollars - (shared?.price ?? price)),
    cost_shared: false,
    time_ms: left('time', timeLimitMs(limits) - elapsedMs),
  };
}

function left(what: string, amount: number): number {
  if (amount > 0) return amount;
  throw new HubError('limit', `spawn_session was not run: this turn has no ${what} left`);
}
