import { HubError } from '../../base/error.js';

/** A semaphore: a limited number of holders, the others wait in order. */
export interface Slots {
  /** Resolves with what releases the slot; fails when the signal aborts first. */
  acquire(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;

  function giveBack(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    acquire(signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(givenUp());
        if (free > 0) {
          free -= 1;
          return resolve(giveBack);
        }
        const leave = (): void => {
          waiting.splice(waiting.indexOf(enter), 1);
          reject(givenUp());
        };
        const enter = (): void => {
          signal.removeEventListener('abort', leave);
          resolve(giveBack);
        };
        waiting.push(enter);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}

function givenUp(): HubError {
  return new HubError('cancelled', 'the wait for a free place was given up');
}
