const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DAYS_MAX = 30;

/** How long ago a time was; after a clock was set back it may be in the future, which counts as now. */
export function formatAge(thenMs: number, nowMs: number): string {
  const agoMs = nowMs - thenMs;
  if (agoMs < MINUTE_MS) return 'just now';
  if (agoMs < HOUR_MS) return `${Math.floor(agoMs / MINUTE_MS)} min ago`;
  if (agoMs < DAY_MS) return `${Math.floor(agoMs / HOUR_MS)} h ago`;
  if (agoMs < DAYS_MAX * DAY_MS) return `${Math.floor(agoMs / DAY_MS)} d ago`;
  return new Date(thenMs).toISOString().slice(0, 10);
}
