/** A clock and its timers: given from outside, so that a test decides what time does. */
export interface Timers {
  nowMs(): number;
  /** Calls back once after a delay; returns what stops it. */
  startTimer(delayMs: number, fire: () => void): () => void;
}

export const SYSTEM_TIMERS: Timers = {
  nowMs: Date.now,
  startTimer(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};
