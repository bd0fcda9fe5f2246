import { createFairQueue } from '../base/fair_queue.js';
import { LARGE_BYTES } from '../wire/large_json.js';

/** The most calls that are begun, and how long beginning goes on, before the event loop handles other things. */
export const CALLS_OF_A_TURN = 32;
const TURN_MS = 4;
/** The most bytes of large frames that are answered at once, but always one. */
const LARGE_UNDER_WAY_BYTES_MAX = 8 * 1024 * 1024;

/** A call, or a frame of calls, that waits to be begun. */
export interface Turn {
  connection: number;
  /** The bytes of its frame; 0 for a call of a frame that was counted. */
  bytes: number;
  /** Whether it waits for no large frame: others may wait for what it brings. */
  isUrgent: boolean;
  begin(): void;
}

/** Begins calls: shares the main thread among connections, however many calls each has waiting. */
export interface TurnQueue {
  push(turn: Turn): void;
  /** A begun frame keeps its bytes no more. */
  release(turn: Pick<Turn, 'bytes'>): void;
}

export function createTurnQueue(): TurnQueue {
  const queue = createFairQueue<Turn>({ isInOrder: true, debtMax: TURN_MS });
  let largeBytes = 0;
  let callsLeft = CALLS_OF_A_TURN;
  let endMs = 0;
  let isScheduled = false;
  // What waits for a large frame is begun when that is released.
  let isOutOfTime = false;

  const fits = ({ bytes, isUrgent }: Turn): boolean =>
    isUrgent || bytes <= LARGE_BYTES || largeBytes === 0 || largeBytes + bytes <= LARGE_UNDER_WAY_BYTES_MAX;

  function begin(turn: Turn, startMs: number): void {
    if (turn.bytes > LARGE_BYTES) largeBytes += turn.bytes;
    callsLeft -= 1;
    turn.begin();
    // Cheap calls count as well: the most of what they cost comes after they are begun.
    queue.charge(turn.connection, performance.now() - startMs + TURN_MS / CALLS_OF_A_TURN);
  }

  function beginSome(): void {
    isOutOfTime = false;
    for (let nowMs = performance.now(); callsLeft > 0 && nowMs < endMs; nowMs = performance.now()) {
      const turn = queue.take(fits);
      if (turn === undefined) return;
      begin(turn, nowMs);
    }
    isOutOfTime = true;
  }

  function nextTurn(): void {
    isScheduled = false;
    if (isOutOfTime && queue.size() > 0) proceed();
  }

  function proceed(): void {
    if (!isScheduled) {
      isScheduled = true;
      callsLeft = CALLS_OF_A_TURN;
      endMs = performance.now() + TURN_MS;
      setImmediate(nextTurn);
    }
    beginSome();
  }

  return {
    push(turn) {
      queue.push(turn.connection, turn);
      proceed();
    },
    release({ bytes }) {
      if (bytes <= LARGE_BYTES) return;
      largeBytes -= bytes;
      if (queue.size() > 0) proceed();
    },
  };
}
