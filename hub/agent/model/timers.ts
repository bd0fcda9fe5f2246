import { onAbort } from '../../base/abort.js';

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

/** Resolves after a delay, or at once when the signal aborts. */
export function delay(timers: Timers, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stopTimer = timers.startTimer(delayMs, () => {
      stopListening();
      resolve();
    });
    const stopListening = onAbort(signal, () => {
      stopTimer();
      resolve();
    });
  });
}
