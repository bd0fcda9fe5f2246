import { HubError } from '../error.js';

/** The error of an SQLite library that cannot be loaded, with what to do about it; null for any other failure. */
export function sqliteLibraryError(error: unknown): HubError | null {
  const message = error instanceof Error ? error.message : '';
  if (/was compiled against/.test(message)) {
    const about = `the SQLite library better-sqlite3 was installed for another version of Node than this ${process.version}`;
    return new HubError('storage_failed', about, {
      hint: 'use the Node that it was installed with; or, where it is installed, run: npm rebuild better-sqlite3',
      cause: error,
    });
  }
  if (!/Could not locate the bindings file/.test(message)) return null;
  return new HubError('storage_failed', 'the SQLite library better-sqlite3 was installed without its native part', {
    hint: 'run: npm rebuild better-sqlite3   (needs a C++ compiler, make and python3)',
    cause: error,
  });
}
