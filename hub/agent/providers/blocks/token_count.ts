import * as z from 'zod';

/** More than any window holds: what a server says beyond it is a mistake of its own. */
const TOKENS_MAX = 1_000_000_000;

/** How many tokens of a kind there were, as a server says it; unknown when that is no number of tokens. */
export const tokenCount = z.int().nonnegative().max(TOKENS_MAX).nullish().catch(null);
