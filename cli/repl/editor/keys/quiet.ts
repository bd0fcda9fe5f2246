/** Runs an action after a pause without keys. */
export interface Quiet {
  /** Called at each key: cancels the pending action. */
  after(ms: number, then: () => void): void;
  stop(): void;
}

export function createQuiet(): Quiet {
  let timer: NodeJS.Timeout | undefined;
  return {
    after(ms, then) {
      clearTimeout(timer);
      timer = setTimeout(then, ms).unref();
    },
    stop: () => clearTimeout(timer),
  };
}
