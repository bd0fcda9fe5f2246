import { keepLeftInputs } from './inputs.js';
import { deleteAbandonedImports } from './purge.js';
import { closeLeftRequests } from './requests.js';
import { closeLeftTurns } from './turns.js';
import type { WriteOp } from './writing.js';

/** What is done once when the database has been opened: ends what another hub left unfinished. */
export const atStart: WriteOp<object> = (writing) => {
  closeLeftTurns(writing);
  keepLeftInputs(writing);
  closeLeftRequests(writing);
  deleteAbandonedImports(writing);
  return '{}';
};
