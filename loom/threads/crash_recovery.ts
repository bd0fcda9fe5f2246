import { closeAbandonedRequests } from '../write/model_requests.js';
import { deleteAbandonedImports } from '../write/purge_tree.js';
import { insertAbandonedInputs } from '../write/turn_inputs.js';
import { closeAbandonedTurns } from '../write/turn_journal.js';
import type { WriteOp } from '../write/write_operation.js';

/** Runs once when the database has been opened: ends the work that an earlier hub left unfinished. */
export const recoverFromCrash: WriteOp<object> = (context) => {
  closeAbandonedTurns(context);
  insertAbandonedInputs(context);
  closeAbandonedRequests(context);
  deleteAbandonedImports(context);
  context.sweepLater();
  return '{}';
};
