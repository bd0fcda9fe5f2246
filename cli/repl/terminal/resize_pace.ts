import type { Size } from './terminal.js';

/**
 * How the size of a terminal has changed: surely only once; little by little, as it is drawn by hand; or anyhow. Of several
 * changes at once a program is told the last, so that one which follows another closely may stand for several.
 */
export type Pace = 'once' | 'gently' | 'wildly';

interface PaceSeen {
  resized(size: Size, nowMs: number): void;
  now(): Pace;
  /** What is seen now is as the size is now. */
  seen(): void;
}

const CALM_MS = 500;
/** A window that is drawn by hand changes by no more than this in one go. */
const GENTLE_COLUMNS_MAX = 16;

export function createPace(): PaceSeen {
  let changes = 0;
  let changedMs = Number.NEGATIVE_INFINITY;
  let columns: number | null = null;
  let isCalm = true;
  let isGentle = false;
  return {
    resized(size, nowMs) {
      const isSmall = columns !== null && Math.abs(size.columns - columns) <= GENTLE_COLUMNS_MAX;
      isCalm = nowMs - changedMs >= CALM_MS;
      isGentle = isSmall && (isCalm || isGentle);
      changes += 1;
      changedMs = nowMs;
      columns = size.columns;
    },
    now() {
      if (isCalm && changes <= 1) return 'once';
      return isGentle ? 'gently' : 'wildly';
    },
    seen() {
      changes = 0;
    },
  };
}
