/**
 * Starts work that nobody awaits: the only way in which this program leaves a promise unawaited. `onFailure` handles its
 * rejection; an error that `onFailure` throws itself is not caught.
 */
export function detach(promise: Promise<unknown>, onFailure: (error: unknown) => void): void {
  promise.catch(onFailure).catch(neverFails);
}

/**
 * The `onFailure` of a promise that never rejects, since it handles its own failures. Where that is wrong the error is thrown
 * uncaught, which ends the process with its stack trace: a wrong claim is found, not swallowed.
 */
export function neverFails(error: unknown): void {
  // Outside of the promise: a rejection could be hidden by a listener for unhandled rejections.
  setImmediate(() => {
    throw error;
  });
}
