/** The most events that all watchers together are sent before the event loop handles other things. */
const EVENTS_OF_A_TURN = 1_000;
/** The most of them for one watcher: those of the largest commit. */
export const EVENTS_AT_ONCE = 256;

/** Shares the main thread among watchers when many events have many of them. */
export interface EmitTurns {
  /** Whether so many events may be sent now. */
  takeNow(count: number): boolean;
  /** Resolves when so many events may be sent, at most `EVENTS_AT_ONCE`. */
  wait(count: number): Promise<void>;
}

export function createEmitTurns(): EmitTurns {
  const waiting: { count: number; resolve(): void }[] = [];
  let left = EVENTS_OF_A_TURN;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      left = EVENTS_OF_A_TURN;
      for (let next = waiting[0]; next !== undefined && next.count <= left; next = waiting[0]) {
        left -= next.count;
        waiting.shift();
        next.resolve();
      }
      if (waiting.length > 0) schedule();
    });
  }

  return {
    takeNow(count) {
      schedule();
      if (waiting.length > 0 || count > left) return false;
      left -= count;
      return true;
    },
    wait(count) {
      schedule();
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
  };
}
