/** Does something that may fail, for callers to whom a failure is an answer. */
export function attempt(act: () => unknown): Error | null {
  try {
    act();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error), { cause: error });
  }
}

/** The system's own name of a failure, such as ENOENT; empty when it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** What a question to the file system answers; null when it cannot. */
export function answer<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null; // what cannot be looked at is not there, for us as for what runs inside as the same person
  }
}
