import { notice } from './view_state.js';

/** Waits for what a person did, and tells when it failed. */
export function attempt(work: Promise<unknown>, what: string, done: () => void = nothing): void {
  notice.value = null;
  work.then(done, (error: unknown) => {
    notice.value = `${what}: ${error instanceof Error ? error.message : String(error)}`;
  });
}

function nothing(): void {
  // Nothing follows.
}
