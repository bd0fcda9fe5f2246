import { parentPort, workerData } from 'node:worker_threads';
import { HubError } from '../../hub/base/error.js';
import { openStore, storageError } from '../store/store.js';
import { toWorkerError } from '../store/worker_error.js';
import type { CopyOptions, CopyOutcome } from './backup_thread.js';
import { lowerPriority } from './low_priority.js';

// The copying thread of one backup: writes a compact copy of the database as it is now, and ends.
parentPort?.postMessage(copyOf(workerData));

function copyOf({ database, copy, epoch }: CopyOptions): CopyOutcome {
  lowerPriority();
  try {
    const store = openStore({ path: database, access: 'read', synchronous: 'full' });
    store.run('VACUUM INTO ?', copy);
    store.close();
    nameAnew(copy, epoch);
    return { copied: true };
  } catch (error) {
    return { failed: toWorkerError(error instanceof HubError ? error : storageError(error, copy)) };
  }
}

// The copy has a history of its own from now on: when it replaces the original, the same numbers of the feed mean other
// things, and watchers and the search index must not confuse the two.
function nameAnew(copy: string, epoch: string): void {
  const store = openStore({ path: copy, access: 'write', synchronous: 'full' });
  store.run("UPDATE meta SET value = ? WHERE key = 'epoch'", epoch);
  store.run("DELETE FROM meta WHERE key = 'lost'");
  store.close();
}
