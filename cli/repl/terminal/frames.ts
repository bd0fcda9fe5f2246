/** Decides when the next frame is drawn. */
export interface Frames {
  /** Something has changed: everything that changes in the same tick is drawn together. */
  request(): void;
  /** Forgets what was requested. */
  cancel(): void;
}

/** Faster than this nobody sees. */
const FRAME_MS_MIN = 16;
/** Of frames that come closer one is let through: a clock that ticks is not to hold up the words after it. */
const FRAMES_AHEAD = 1;

/** The first changes are drawn at once, what follows closely waits for its frame; while nothing changes no timer runs. */
export function createFrames(draw: () => void): Frames {
  // Until when the frames that were drawn are enough.
  let enoughMs = Number.NEGATIVE_INFINITY;
  let immediate: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;
  const cancel = (): void => {
    clearImmediate(immediate);
    clearTimeout(timer);
    immediate = undefined;
    timer = undefined;
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
    cancel,
  };
}
