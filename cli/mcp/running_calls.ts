/** The calls that are being answered. */
export interface RunningCalls {
  /** Runs a call; it is told to end by the caller's signal, or when all are. */
  run<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Tells all to end, and waits for that so long at most. */
  end(msMax: number): Promise<void>;
}

export function createRunningCalls(): RunningCalls {
  const running = new Set<Promise<unknown>>();
  const ending = new AbortController();
  return {
    async run(signal, work) {
      const call = work(AbortSignal.any([signal, ending.signal]));
      const settled = call.catch(() => undefined);
      running.add(settled);
      try {
        return await call;
      } finally {
        running.delete(settled);
      }
    },
    async end(msMax) {
      ending.abort();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, msMax);
      });
      await Promise.race([Promise.all(running), late]);
      clearTimeout(timer);
    },
  };
}
