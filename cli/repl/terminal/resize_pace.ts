import type { Size } from './terminal.js';

/**
 * Whether resizes came singly, in small drags, or in jumps. A program sees only the last of several resizes that come at once, so
 * that one which follows another closely may stand for several.
 */
export type ResizePace = 'single' | 'drag' | 'jump';

interface ResizePaceTracker {
  resized(size: Size, nowMs: number): void;
  now(): ResizePace;
  /** The screen was painted for the current size. */
  reset(): void;
}

const CALM_MS = 500;
/** Dragging a window changes its width by no more than this at once. */
const DRAG_COLUMNS_MAX = 16;

export function createResizePace(): ResizePaceTracker {
  let changes = 0;
  let changedMs = Number.NEGATIVE_INFINITY;
  let columns: number | null = null;
  let isCalm = true;
  let isDrag = false;
  return {
    resized(size, nowMs) {
      const isSmall = columns !== null && Math.abs(size.columns - columns) <= DRAG_COLUMNS_MAX;
      isCalm = nowMs - changedMs >= CALM_MS;
      isDrag = isSmall && (isCalm || isDrag);
      changes += 1;
      changedMs = nowMs;
      columns = size.columns;
    },
    now() {
      if (isCalm && changes <= 1) return 'single';
      return isDrag ? 'drag' : 'jump';
    },
    reset() {
      changes = 0;
    },
  };
}
