import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Retries, 100 ms apart, for a folder that another process is still filling. */
const REMOVE_RETRIES_MAX = 3;

/** Makes a private folder for this process. Folders of earlier processes are removed; one that is still ending removes only its own. */
export function makeSessionsFolder(home: string, name: string): string {
  const beside = join(home, 'tmp');
  rmSync(beside, { recursive: true, force: true, maxRetries: REMOVE_RETRIES_MAX });
  const folder = join(beside, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
