/**
 * Starts work that nobody awaits: the only way in which this program lets go of a promise. `onFailure` takes whatever it
 * rejects with, and says so to whom it concerns; an error that it throws itself is not caught.
 */
export function detach(promise: Promise<unknown>, onFailure: (error: unknown) => void): void {
  promise.catch(onFailure).catch(neverFails);
}

/**
 * The `onFailure` of a promise that never rejects, since it handles its own failures. Where that is wrong the error is thrown
 * uncaught, which ends the process with its stack trace: a wrong claim is found, not swallowed.
 */
export function neverFails(error: unknown): void {
  // Out of the promise, or it would be one more rejection, which a listener for those could hide.
  setImmediate(() => {
    throw error;
  });
}
