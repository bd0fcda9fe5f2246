import type { HubError } from '../../base/error.js';

/** How often a request is sent again. */
export const RETRIES_MAX = 6;
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** Whoever asks to be left alone for longer has a limit that no waiting here helps against. */
export const RETRY_AFTER_MS_MAX = 300_000;

/**
 * How long to wait before a failed request is sent again; null to give it up. The server's own wish comes first; otherwise
 * the waits double, each of them shortened by chance, so that many who failed together do not come back together.
 */
export function retryDelayMs(error: HubError, attempt: number, random: () => number): number | null {
  const mayHelp = error.kind === 'rate_limited' || error.kind === 'overloaded' || error.kind === 'network';
  if (!mayHelp || !error.retryable || attempt > RETRIES_MAX) return null;
  const wished = error.details.retry_after_ms;
  if (typeof wished === 'number') return wished > RETRY_AFTER_MS_MAX ? null : Math.max(0, Math.ceil(wished));
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
  return Math.ceil(most * (0.5 + random() / 2));
}
