import * as z from 'zod';

/** More than any window holds: a server that says more is wrong. */
const TOKENS_MAX = 1_000_000_000;

/** A count of tokens from a server; null when it is no such count. */
export const tokenCount = z.int().nonnegative().max(TOKENS_MAX).nullish().catch(null);
