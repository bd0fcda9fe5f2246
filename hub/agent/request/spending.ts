import type { z } from 'zod';
import type { TurnLimits, TurnReason } from '../../protocol/turn.js';
import type { Usage } from '../../protocol/usage.js';
import type { TokenUsage } from '../model/provider.js';

export type UsageCount = z.output<typeof Usage>;

export const ITERATIONS_DEFAULT = 200;
const TIME_MS_DEFAULT = 4 * 3_600_000;
const PRICE_MAX = 10_000_000_000;
/** More than any turn uses: sums stay exact. */
const TOKENS_MAX = 1_000_000_000;

/** What a turn has used so far. */
export interface Spending {
  iterations: number;
  /** Null while no server has counted anything. */
  usage: UsageCount | null;
  /** Of the requests whose price is known, in microdollars. */
  price: number;
  /** Requests whose price is unknown. */
  unpriced: number;
  /** What it shares a limit with other turns for; null for none. */
  shared: { price: number } | null;
}

export function newSpending(): Spending {
  return { iterations: 0, usage: null, price: 0, unpriced: 0, shared: null };
}

/** Adds one request, in place. */
export function addRequest(spending: Spending, usage: UsageCount | null, price: number | null): void {
  if (usage !== null) spending.usage = sumOf(spending.usage ?? usageRow(NOTHING), usage);
  if (price === null) spending.unpriced += 1;
  else spending.price = Math.min(PRICE_MAX, spending.price + price);
  if (spending.shared !== null) spending.shared.price += price ?? 0;
}

const NOTHING: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

/** A provider's count in the form of rows and events. */
export function usageRow({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: TokenUsage): UsageCount {
  return {
    tokens_in: input,
    tokens_out: output,
    tokens_cache_read: cacheRead,
    tokens_cache_write_5m: cacheWrite5m,
    tokens_cache_write_1h: cacheWrite1h,
  };
}

/** Dollars in millionths; null when unknown. */
export function microdollars(dollars: number | null): number | null {
  return dollars === null ? null : Math.min(PRICE_MAX, Math.round(dollars * 1_000_000));
}

function sumOf(one: UsageCount, other: UsageCount): UsageCount {
  const sum = (left: number, right: number): number => Math.min(TOKENS_MAX, left + right);
  return {
    tokens_in: sum(one.tokens_in, other.tokens_in),
    tokens_out: sum(one.tokens_out, other.tokens_out),
    tokens_cache_read: sum(one.tokens_cache_read, other.tokens_cache_read),
    tokens_cache_write_5m: sum(one.tokens_cache_write_5m, other.tokens_cache_write_5m),
    tokens_cache_write_1h: sum(one.tokens_cache_write_1h, other.tokens_cache_write_1h),
  };
}

/** The limit that keeps a turn from sending another request; null for none. */
export function limitReached({ iterations, usage, price, shared }: Spending, limits: TurnLimits): TurnReason | null {
  if (iterations >= (limits.iterations ?? ITERATIONS_DEFAULT)) return 'iterations';
  const tokens = usage === null ? 0 : Object.values(usage).reduce((sum, some) => sum + some, 0);
  if (limits.tokens !== null && tokens >= limits.tokens) return 'tokens';
  if (limits.cost_microdollars !== null && (shared?.price ?? price) >= limits.cost_microdollars) return 'cost';
  return null;
}

/** The price of a turn in microdollars; null while that of a request is unknown. */
export function priceOf({ usage, price, unpriced }: Pick<Spending, 'usage' | 'price' | 'unpriced'>): number | null {
  return usage === null || unpriced > 0 ? null : price;
}

export function timeLimitMs(limits: TurnLimits): number {
  return limits.time_ms ?? TIME_MS_DEFAULT;
}
