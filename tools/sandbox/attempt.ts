/** Runs something that may fail; returns its error, or null. */
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

/** The result of a look at the file system; null when it fails. */
export function valueOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null; // what cannot be looked at is not there, for us as for what runs inside as the same person
  }
}
