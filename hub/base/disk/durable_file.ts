import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../errno.js';
import { HubError } from '../error.js';

/** Replaces a file in one step: a kill or a power cut leaves the old or the new content, and the new one once this returns. */
export function replaceFile(path: string, text: string): void {
  replaceFileSoon(path, text);
  syncFile(dirname(path));
}

/** As above, but a power cut in the seconds after it may leave the old content. */
export function replaceFileSoon(path: string, text: string): void {
  const draft = `${path}.${process.pid}.new`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    syncFile(draft);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Why a file could not be replaced. */
export function unwritable(path: string, error: unknown): HubError {
  const isFull = errnoOf(error) === 'ENOSPC';
  const reason = error instanceof Error ? error.message : String(error);
  return new HubError(isFull ? 'disk_full' : 'storage_failed', `${path} cannot be written: ${reason}`, {
    hint: 'it is as it was before',
    cause: error,
  });
}

/** Makes the content of a file, or the names in a folder, durable. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
