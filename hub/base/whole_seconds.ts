/** A waiting time in whole seconds, rounded up: `3 s`. */
export function wholeSeconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}
