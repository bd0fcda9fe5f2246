import { sqliteCode } from '../store/store.js';
import type { WriteContext } from './write_operation.js';

/**
 * Does what another hub has left undone. What cannot be done any more must not keep this one from starting: then nothing
 * of it is, and `otherwise` instead. What SQLite itself reports, such as a full disk, says nothing about what was left.
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
