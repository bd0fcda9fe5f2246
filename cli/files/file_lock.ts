import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { unwritable } from '../../hub/base/disk/durable_file.js';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { isAlive } from './process_alive.js';

const WAIT_MS = 5_000;
const POLL_MS = 5;
// Work under a lock takes milliseconds: an older lock is of a dead process, even when its pid is in use again.
const AGE_MS_MAX = 30_000;
// An owner writes its pid right after it has made the file: a file without one for this long is of a killed process.
const UNSIGNED_MS_MAX = 1_000;

/** Runs work while no other process holds the lock file; the file of a dead owner is replaced. */
export async function withFileLock<Result>(path: string, work: () => Result): Promise<Result> {
  const deadlineMs = Date.now() + WAIT_MS;
  while (!take(path)) {
    removeAbandoned(path);
    if (Date.now() > deadlineMs) {
      throw new HubError('conflict', `${path} has been held by another process for ${WAIT_MS / 1000} seconds`, {
        hint: 'when no other cognition runs, remove that file',
        retryable: true,
      });
    }
    await wait(POLL_MS);
  }
  try {
    return work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600);
    try {
      writeSync(file, String(process.pid));
    } catch (error) {
      rmSync(path, { force: true }); // such as on a full disk
      throw unwritable(path, error);
    } finally {
      closeSync(file);
    }
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error instanceof HubError ? error : unwritable(path, error);
  }
}

function removeAbandoned(path: string): void {
  const seen = inodeOf(path);
  if (seen === null || !isAbandoned(path)) return;
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // another process was faster
  }
  // Between look and rename the lock may have passed on to a live owner: it gets its file back.
  if (inodeOf(aside) !== seen) giveBack(aside, path);
  rmSync(aside, { force: true });
}

function giveBack(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

function isAbandoned(path: string): boolean {
  try {
    const ageMs = Math.abs(Date.now() - statSync(path).mtimeMs);
    const owner = Number(readFileSync(path, 'utf8'));
    if (owner === 0) return ageMs > UNSIGNED_MS_MAX;
    return ageMs > AGE_MS_MAX || !isAlive(owner);
  } catch {
    return false; // it has been released meanwhile
  }
}

function inodeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}
