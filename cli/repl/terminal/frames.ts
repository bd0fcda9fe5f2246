/** Decides when the next frame is drawn. */
export interface Frames {
  /** Something has changed: everything that changes in the same tick is drawn together. */
  request(): void;
  /**
   * The size of the terminal changes: nothing is drawn before it has stayed the same for a moment. Of a frame that was made for a
   * size that is no longer, nobody knows where its rows come to stand.
   */
  hold(): void;
  /** Forgets what was requested. */
  cancel(): void;
}

/** Faster than this nobody sees. */
const FRAME_MS_MIN = 16;
/** Of frames that come closer one is let through: a clock that ticks is not to hold up the words after it. */
const FRAMES_AHEAD = 1;
/** How long a size has to stay, and how long what is typed may go unseen while it does not. */
const QUIET_MS = 50;
const HELD_MS_MAX = 1_000;

/** The first changes are drawn at once, what follows closely waits for its frame; while nothing changes no timer runs. */
export function createFrames(draw: () => void): Frames {
  // Until when the frames that were drawn are enough.
  let enoughMs = Number.NEGATIVE_INFINITY;
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
    enoughMs = Math.max(enoughMs, performance.now()) + FRAME_MS_MIN;
    draw();
  };
  return {
    request() {
      if (immediate !== undefined || timer !== undefined) return;
      const waitMs = enoughMs - FRAMES_AHEAD * FRAME_MS_MIN - performance.now();
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
