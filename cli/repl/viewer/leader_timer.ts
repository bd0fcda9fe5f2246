import type { Viewing } from './viewport.js';

/** Shows what the leader key may be followed by when nothing follows, and then forgets that it was pressed. */
export interface LeaderTimer {
  /** Told after every change of what is seen. */
  follow(leader: Viewing['leader']): void;
  stop(): void;
}

const LISTED_AFTER_MS = 200;
const LAPSES_AFTER_MS = 1_000;

export function createLeaderTimer(become: (leader: Viewing['leader']) => void): LeaderTimer {
  let timers: NodeJS.Timeout[] = [];
  const stop = (): void => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };
  return {
    follow(leader) {
      if (leader === 'none') stop();
      else if (timers.length === 0) {
        timers = [
          setTimeout(() => become('listed'), LISTED_AFTER_MS).unref(),
          setTimeout(() => become('none'), LAPSES_AFTER_MS).unref(),
        ];
      }
    },
    stop,
  };
}
