/** Decides when the next frame is drawn. */
export interface Frames {
  /** Asks for a frame: everything that changes in the same tick is drawn together. */
  request(): void;
  /**
   * The size of the terminal changes: nothing is drawn until it has been stable for a moment. Where the rows of a frame end up that
   * was made for another size is unknown.
   */
  hold(): void;
  /** Forgets what was requested. */
  cancel(): void;
}

const FRAME_MS_MIN = 16;
/** Frames that may come early: a ticking clock must not delay the words after it. */
const FRAMES_AHEAD = 1;
/** How long a size has to be stable, and how long drawing may be held at most. */
const QUIET_MS = 50;
const HELD_MS_MAX = 1_000;

/** The first changes are drawn at once, what follows closely waits for its frame; while nothing changes no timer runs. */
export function createFrames(draw: () => void): Frames {
  // The time up to which frames have been used.
  let usedUntilMs = Number.NEGATIVE_INFINITY;
  let immediate: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;
  let heldSinceMs: number | null = null;
  const clear = (): void => {
    clearImmediate(immediate);
    clearTimeout(timer);
    immediate = undefined;
    timer = undefined;
  };
  const cancel = (): void => {
    clear();
    heldSinceMs = null;
  };
  const due = (): void => {
    cancel();
    usedUntilMs = Math.max(usedUntilMs, performance.now()) + FRAME_MS_MIN;
    draw();
  };
  return {
    request() {
      if (immediate !== undefined || timer !== undefined) return;
      const waitMs = usedUntilMs - FRAMES_AHEAD * FRAME_MS_MIN - performance.now();
      if (waitMs <= 0) immediate = setImmediate(due);
      else timer = setTimeout(due, waitMs);
    },
    hold() {
      const nowMs = performance.now();
      heldSinceMs ??= nowMs;
      clear();
      timer = setTimeout(due, Math.min(QUIET_MS, Math.max(0, heldSinceMs + HELD_MS_MAX - nowMs)));
    },
    cancel,
  };
}
