import { parentPort, workerData } from 'node:worker_threads';
import { HubError } from '../hub/error.js';
import type { CopyOptions, CopyOutcome } from './backup.js';
import { carried } from './commit.js';
import { openStore, storageError } from './store.js';

// The copying thread of one backup: writes a compact copy of the database as it is now, and ends.
parentPort?.postMessage(copyOf(workerData));

function copyOf({ database, copy }: CopyOptions): CopyOutcome {
  try {
    const store = openStore({ path: database, access: 'read', synchronous: 'full' });
    store.run('VACUUM INTO ?', copy);
    store.close();
    return { copied: true };
  } catch (error) {
    return { failed: carried(error instanceof HubError ? error : storageError(error, copy)) };
  }
}
