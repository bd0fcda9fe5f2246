/** Ids in order, so that expected output can be written down. */
export function idsInOrder(prefix = '00000000'): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-0000-4000-8000-${String(count).padStart(12, '0')}`;
  };
}

/** A clock that advances by one second at each reading. */
export function clockInSteps(startMs = 1_700_000_000_000): () => number {
  let nowMs = startMs;
  return () => {
    nowMs += 1_000;
    return nowMs;
  };
}
