import { HubError } from './error.js';

/** Throws `cancelled` when the signal has aborted; `what` was cancelled then, in words for an error. */
export function throwIfCancelled(signal: AbortSignal, what: string): void {
  if (signal.aborted) throw new HubError('cancelled', `${what} was cancelled`);
}

/** Calls a listener once when the signal aborts, at once if it has already; the result removes the listener. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  // Without the event, so that a listener may be any function.
  const call = (): void => listener();
  signal.addEventListener('abort', call, { once: true });
  return () => signal.removeEventListener('abort', call);
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve);
  });
}

/**
 * What the promise comes to, or a rejection with `reason()` as soon as the signal aborts. The work itself goes on, and its
 * later failure is ignored. Leaves no listener on the signal once the promise has settled.
 */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal, reason: () => unknown): Promise<T> {
  let stopListening = (): void => undefined;
  const refusal = new Promise<never>((_, reject) => {
    stopListening = onAbort(signal, () => reject(reason()));
  });
  try {
    return await Promise.race([promise, refusal]);
  } finally {
    stopListening();
  }
}
