import { onAbort, throwIfCancelled } from '../../hub/base/abort.js';
import { HubError } from '../../hub/base/error.js';

const WAIT_MS_MAX = 60_000;

/** Does something as soon as there is a turn for it. */
export type InTurn = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Lets so many work at once; who comes later waits for a turn, in the order of coming. */
export function createTurns(atOnce: number): InTurn {
  const waiting = new Set<() => void>();
  let taken = 0;

  function giveBack(): void {
    const [next] = waiting;
    if (next === undefined) taken -= 1;
    else next();
  }

  async function wait(signal: AbortSignal): Promise<void> {
    const late = AbortSignal.timeout(WAIT_MS_MAX);
    const stop = AbortSignal.any([signal, late]);
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        waiting.delete(begin);
        stopListening();
        resolve();
      };
      const refuse = (): void => {
        waiting.delete(begin);
        reject(signal.aborted ? new HubError('cancelled', 'the query was cancelled') : tooMany(atOnce));
      };
      waiting.add(begin);
      const stopListening = onAbort(stop, refuse);
    });
  }

  return async (signal, work) => {
    throwIfCancelled(signal, 'the query');
    if (taken < atOnce) taken += 1;
    else await wait(signal);
    return work().finally(giveBack);
  };
}

function tooMany(atOnce: number): HubError {
  return new HubError('limit', `${atOnce} other queries ran for ${WAIT_MS_MAX / 1_000} s`, {
    hint: 'try again when they have ended',
    retryable: true,
  });
}
