import { sqliteCode } from '../store/store.js';
import type { Writing } from './write_operation.js';

/**
 * Does what another hub has left undone. What cannot be done any more must not keep this one from starting: then nothing
 * of it is, and `otherwise` instead. What SQLite itself reports, such as a full disk, says nothing about what was left.
 */
export function salvage({ store }: Pick<Writing, 'store'>, act: () => void, otherwise: () => void): void {
  store.run('SAVEPOINT salvage');
  try {
    act();
  } catch (error) {
    if (sqliteCode(error) !== null) throw error;
    store.run('ROLLBACK TO salvage');
    otherwise();
  }
  store.run('RELEASE salvage');
}
