import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { sqliteCode, storageError } from './store.js';

/** The error for a failure that is not a HubError: the caller gets a summary, the log the stack trace. */
export function unexpectedError(doing: 'storage' | 'reading', error: unknown): HubError {
  if (error instanceof HubError) return error;
  if (sqliteCode(error) !== null) return storageError(error);
  // The hub's log takes the stderr of its threads.
  console.error(`${doing} failed unexpectedly:`, error);
  return new HubError('internal', `${doing} failed unexpectedly`, {
    hint: ['the reason is in the log: ', cliCommand('hub logs')],
    cause: error,
  });
}
