import { HubError } from '../../hub/base/error.js';
import { sqliteCode, storageError } from './store.js';

/** Makes an error of a failure that nobody threw on purpose: the caller hears that it happened, the log where. */
export function unexpectedError(doing: 'storage' | 'reading', error: unknown): HubError {
  if (error instanceof HubError) return error;
  if (sqliteCode(error) !== null) return storageError(error);
  // What a thread prints there goes to the hub's log.
  console.error(`${doing} failed unexpectedly:`, error);
  return new HubError('internal', `${doing} failed unexpectedly`, {
    hint: 'the reason is in the log: cognition hub logs',
    cause: error,
  });
}
