import { HubError } from '../error.js';

/** What to do where no SQLite can be used. */
const WAYS =
  'one of three ways: Node 22.23, 24.15 or newer, which brings its own SQLite; a C++ compiler, make and python3, then: npm rebuild better-sqlite3; or an installation where npm can fetch a ready-made binary from github.com';

/** The error where neither library can be used, with the reason of the package. */
export function noSqlite(error: unknown): HubError {
  const reason =
    error === null ? '' : `${packageProblem(error instanceof Error ? error.message : String(error))}, and `;
  const brought = process.versions.sqlite === undefined ? 'no SQLite' : `SQLite ${process.versions.sqlite}, too old`;
  return new HubError('storage_failed', `${reason}this Node ${process.version} brings ${brought}`, {
    hint: WAYS,
    cause: error,
  });
}

/** Why better-sqlite3 cannot be used, from what was said when it was tried. */
export function packageProblem(message: string): string {
  if (/was compiled against/.test(message)) return 'better-sqlite3 was installed for another version of Node';
  if (/Could not locate the bindings file/.test(message)) return 'better-sqlite3 was installed without its native part';
  if (/Cannot find (package|module) 'better-sqlite3'/.test(message)) return 'better-sqlite3 is not installed';
  return `better-sqlite3 cannot be loaded: ${message.split('\n')[0]}`;
}
