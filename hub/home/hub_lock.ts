import { truncateSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import type { SqliteDatabase } from '../base/sqlite/sqlite_driver.js';
import { sqliteLibrary } from '../base/sqlite/sqlite_library.js';
import { homeError } from './home_folder.js';

const POLL_MS = 10;

export interface Lock {
  sqliteVersion: string;
  release(): void;
}

/**
 * Takes the lock that makes a process the one hub of its home. SQLite holds it as a lock of the operating
 * system, so it is released when its holder dies in whatever way. The file itself always stays empty.
 */
export async function takeLock(path: string, waitMs: number): Promise<Lock> {
  const database = openLockFile(path);
  try {
    for (let waitedMs = 0; !isTaken(database, path); waitedMs += POLL_MS) {
      if (waitedMs >= waitMs) {
        throw new HubError('conflict', `another hub owns ${path}`, {
          hint: ['run: ', cliCommand('hub status')],
          retryable: true,
        });
      }
      await wait(POLL_MS);
    }
    const { version } = database.prepare('SELECT sqlite_version() AS version').get([]) ?? {};
    return { sqliteVersion: `${version} (${sqliteLibrary().name})`, release: () => database.close() };
  } catch (error) {
    database.close();
    throw error instanceof HubError ? error : homeError(path, systemError(error));
  }
}

function openLockFile(path: string): SqliteDatabase {
  const library = sqliteLibrary();
  try {
    return library.open(path, 'write');
  } catch (error) {
    throw homeError(path, systemError(error));
  }
}

function isTaken(database: SqliteDatabase, path: string): boolean {
  try {
    database.exec('PRAGMA journal_mode = memory; BEGIN EXCLUSIVE'); // without this, SQLite creates a journal file beside it
    return true;
  } catch (error) {
    const code = sqliteLibrary().codeOf(error) ?? '';
    if (code.startsWith('SQLITE_BUSY')) return false;
    if (code !== 'SQLITE_NOTADB' && code !== 'SQLITE_CORRUPT') throw error;
    // Something else was written into it. Truncating it is safe for a holder, for whom it is empty already.
    truncateSync(path);
    return false;
  }
}

// SQLite has its own codes for system errors.
function systemError(error: unknown): unknown {
  const code = sqliteLibrary().codeOf(error);
  if (code === null || !(error instanceof Error)) return error;
  const { message } = error;
  const denied = code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN');
  if (denied) return Object.assign(new Error(message), { code: 'EACCES' });
  return code === 'SQLITE_FULL' ? Object.assign(new Error(message), { code: 'ENOSPC' }) : error;
}
