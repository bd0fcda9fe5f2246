import type { HubError } from '../../base/error.js';

/** The most times that a request is sent again. */
export const RETRIES_MAX = 6;
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** A server that asks for a longer wait has a limit against which waiting here does not help. */
export const RETRY_AFTER_MS_MAX = 300_000;

/**
 * How long to wait before a failed request is sent again; null to give up. What the server asks for comes first; otherwise
 * the waits double, each shortened at random, so that clients that failed together do not come back together.
 */
export function retryDelayMs(error: HubError, attempt: number, random: () => number): number | null {
  const isTransient = error.kind === 'rate_limited' || error.kind === 'overloaded' || error.kind === 'network';
  if (!isTransient || !error.retryable || attempt > RETRIES_MAX) return null;
  const retryAfterMs = error.details.retry_after_ms;
  if (typeof retryAfterMs === 'number') {
    return retryAfterMs > RETRY_AFTER_MS_MAX ? null : Math.max(0, Math.ceil(retryAfterMs));
  }
  const longestMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
  return Math.ceil(longestMs * (0.5 + random() / 2));
}
