import { truncateSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { sqliteLibraryError } from '../base/disk/sqlite_library.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { homeError } from './home_folder.js';

const POLL_MS = 10;
// Native objects must not be garbage-collected: see the store.
const retained: object[] = [];

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
    const version = database.prepare('SELECT sqlite_version()').pluck();
    retained.push(version);
    const sqliteVersion = String(version.get());
    return { sqliteVersion, release: () => database.close() };
  } catch (error) {
    database.close();
    throw error instanceof HubError ? error : homeError(path, systemError(error));
  }
}

function openLockFile(path: string): Database.Database {
  try {
    const database = new Database(path, { timeout: 0 });
    retained.push(database);
    return database;
  } catch (error) {
    throw sqliteLibraryError(error) ?? homeError(path, systemError(error));
  }
}

function isTaken(database: Database.Database, path: string): boolean {
  try {
    database.exec('PRAGMA journal_mode = memory; BEGIN EXCLUSIVE'); // without this, SQLite creates a journal file beside it
    return true;
  } catch (error) {
    const code = error instanceof Database.SqliteError ? error.code : '';
    if (code.startsWith('SQLITE_BUSY')) return false;
    if (code !== 'SQLITE_NOTADB' && code !== 'SQLITE_CORRUPT') throw error;
    // Something else was written into it. Truncating it is safe for a holder, for whom it is empty already.
    truncateSync(path);
    return false;
  }
}

// SQLite has its own codes for system errors.
function systemError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const denied = error.code.startsWith('SQLITE_READONLY') || error.code.startsWith('SQLITE_CANTOPEN');
  if (denied) return Object.assign(new Error(error.message), { code: 'EACCES' });
  return error.code === 'SQLITE_FULL' ? Object.assign(new Error(error.message), { code: 'ENOSPC' }) : error;
}
