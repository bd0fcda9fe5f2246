import { detach, neverFails } from '../../base/detach.js';
import type { TurnId } from '../../protocol/node.js';
import type { TurnReason } from '../../protocol/turn.js';
import type { Timers } from '../model/timers.js';
import type { OutsideTurn } from './outside_turn.js';
import type { RunningTurn } from './running_turn.js';

/** How long an agent is kept waiting for a person. */
const WAIT_MS_MAX = 4 * 3_600_000;

/** Turns that wait for a person while their agents wait for the answer. */
export interface HeldTurns {
  count(): number;
  get(id: TurnId): OutsideTurn | null;
  hold(work: OutsideTurn): void;
  /** Takes one out, to go on with it. */
  take(id: TurnId): OutsideTurn | null;
  /** Ends one; null for one that is not held. */
  stop(id: TurnId, why: TurnReason): RunningTurn | null;
  ids(): TurnId[];
}

/** `goOn` runs a turn whose agent has ended, or is to end. */
export function createHeldTurns(timers: Timers, goOn: (work: OutsideTurn) => RunningTurn): HeldTurns {
  const held = new Map<TurnId, { work: OutsideTurn; stopTimer(): void }>();

  function take(id: TurnId): OutsideTurn | null {
    const found = held.get(id);
    found?.stopTimer();
    held.delete(id);
    return found?.work ?? null;
  }

  function stop(id: TurnId, why: TurnReason): RunningTurn | null {
    const work = held.get(id)?.work;
    if (work === undefined) return null;
    const turn = goOn(work);
    turn.stop(why);
    return turn;
  }

  return {
    count: () => held.size,
    get: (id) => held.get(id)?.work ?? null,
    hold(work) {
      const { id } = work.turn;
      held.set(id, {
        work,
        stopTimer: timers.startTimer(WAIT_MS_MAX, () => {
          stop(id, 'time');
        }),
      });
      const endIfHeld = (): void => {
        if (held.get(id)?.work === work) goOn(work);
      };
      detach(work.exchange?.result.then(endIfHeld, endIfHeld) ?? Promise.resolve(), neverFails);
    },
    take,
    stop,
    ids: () => [...held.keys()],
  };
}
