import { callHub, type InternalCaller, ownContext } from '../../base/internal_call.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';

/** Removes packs that were under way, also when the call was cancelled. */
export async function dropTransfer(
  { hub }: InternalCaller,
  { folder, transfer }: ResultOf<'files.import_begin'>,
): Promise<void> {
  const reach = { hub, context: ownContext(new AbortController().signal) };
  // Where the tools are gone, what is left is removed a day later.
  await callHub(reach, 'files.transfer_drop', { folder, transfer }).catch(() => undefined);
}
