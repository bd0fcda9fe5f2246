/** Runs something that may fail; returns its error, or null. */
export function attempt(act: () => unknown): Error | null {
  try {
    act();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error), { cause: error });
  }
}

/** The result of a look at the file system; null when it fails. */
export function valueOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null; // what cannot be looked at is not there, for us as for what runs inside as the same person
  }
}
