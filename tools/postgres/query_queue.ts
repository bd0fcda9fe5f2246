import { onAbort, throwIfCancelled } from '../../hub/base/abort.js';
import { HubError } from '../../hub/base/error.js';

const WAIT_MS_MAX = 60_000;

/** Runs work as soon as a slot is free. */
export type RunQueued = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Runs at most so many at once; later callers wait in order. */
export function createQueryQueue(atOnce: number): RunQueued {
  const waiting = new Set<() => void>();
  let taken = 0;

  function release(): void {
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
    return work().finally(release);
  };
}

function tooMany(atOnce: number): HubError {
  return new HubError('limit', `${atOnce} other queries ran for ${WAIT_MS_MAX / 1_000} s`, {
    hint: 'try again when they have ended',
    retryable: true,
  });
}
