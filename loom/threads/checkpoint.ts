import { type Store, sqliteCode } from '../store/store.js';

/** SQLite's own: a log of 4 MiB. */
const PAGES = 1_000;

/** Whether the log of what was written is moved into the database by `checkpoint` alone, or by commits too once it is long. */
export function checkpointApart(store: Store, isApart: boolean): void {
  store.pragma(`wal_autocheckpoint = ${isApart ? 0 : PAGES}`);
}

/** Moves what it can of the log into the database. */
export function checkpoint(store: Store): void {
  try {
    store.pragma('wal_checkpoint(PASSIVE)');
  } catch (error) {
    // What was committed is in the log, and stays there until a later one succeeds.
    if (sqliteCode(error) === null) throw error;
  }
}
