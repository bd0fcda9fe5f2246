import { closeLeftRequests } from '../write/model_requests.js';
import { deleteAbandonedImports } from '../write/purge_tree.js';
import { keepLeftInputs } from '../write/turn_inputs.js';
import { closeLeftTurns } from '../write/turn_journal.js';
import type { WriteOp } from '../write/write_operation.js';

/** What is done once when the database has been opened: ends what another hub left unfinished. */
export const atStart: WriteOp<object> = (writing) => {
  closeLeftTurns(writing);
  keepLeftInputs(writing);
  closeLeftRequests(writing);
  deleteAbandonedImports(writing);
  return '{}';
};
