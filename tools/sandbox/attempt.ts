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
    return null; // an unreadable path is absent, also for a command inside, which runs as the same user
  }
}
