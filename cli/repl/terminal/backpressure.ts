/** Holds back callers that append faster than the terminal shows. */
export interface Backpressure {
  /** Resolves with the next `release`. */
  wait(): Promise<void>;
  release(): void;
}

export function createBackpressure(): Backpressure {
  let waiting: (() => void)[] = [];
  return {
    wait: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
    release() {
      const resolves = waiting;
      waiting = [];
      for (const resolve of resolves) resolve();
    },
  };
}
