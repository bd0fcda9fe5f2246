/** The wait that a server asks for, in seconds, milliseconds or as a date; null when it asks for none. */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const exact = nonNegative(headers.get('retry-after-ms'));
  if (exact !== null) return Math.ceil(exact);
  const header = headers.get('retry-after');
  if (header === null) return null;
  const seconds = nonNegative(header);
  if (seconds !== null) return Math.ceil(seconds * 1_000);
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

function nonNegative(text: string | null): number | null {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}
