import { sqliteCode } from '../store/store.js';
import type { WriteContext } from './write_operation.js';

/**
 * Runs an action in a savepoint; when it fails, undoes it and runs `onFailure`, so that data an earlier hub left behind cannot
 * keep this one from starting. Failures of SQLite itself, such as a full disk, are thrown.
 */
export function inSavepoint({ store }: Pick<WriteContext, 'store'>, action: () => void, onFailure: () => void): void {
  store.run('SAVEPOINT salvage');
  try {
    action();
  } catch (error) {
    if (sqliteCode(error) !== null) throw error;
    store.run('ROLLBACK TO salvage');
    onFailure();
  }
  store.run('RELEASE salvage');
}
