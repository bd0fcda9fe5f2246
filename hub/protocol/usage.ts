import * as z from 'zod';

export const RequestId = z.guid().lowercase().brand<'RequestId'>();

/** No request has more tokens, so that sums of them stay exact. */
const tokens = z.int().nonnegative().max(1_000_000_000);

/** What a model provider counted. Each token of the input stands in one of the four fields that are not `tokens_out`. */
export const Usage = z.strictObject({
  tokens_in: tokens,
  tokens_out: tokens,
  tokens_cache_read: tokens,
  /** Written to a cache that keeps for 5 minutes, and for an hour. */
  tokens_cache_write_5m: tokens,
  tokens_cache_write_1h: tokens,
});
