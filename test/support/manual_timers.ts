import type { Timers } from '../../hub/agent/model/timers.js';

export interface ManualTimers extends Timers {
  /** The delays of the timers that run. */
  running(): number[];
  /** Fires all of them. */
  fire(): void;
}

/** Timers that only a test fires, and a clock that stands still. */
export function manualTimers(nowMs = 1_800_000_000_000): ManualTimers {
  const timers = new Map<object, { delayMs: number; fire: () => void }>();
  return {
    nowMs: () => nowMs,
    startTimer(delayMs, fire) {
      const timer = {};
      timers.set(timer, { delayMs, fire });
      return () => void timers.delete(timer);
    },
    running: () => [...timers.values()].map(({ delayMs }) => delayMs),
    fire() {
      const all = [...timers.values()];
      timers.clear();
      for (const timer of all) timer.fire();
    },
  };
}
