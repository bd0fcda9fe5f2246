import { HubError } from '../../../hub/base/error.js';
import { findNode } from '../../base/store_output.js';
import type { ToolParts } from '../../base/tool_parts.js';
import { killFamily } from '../../process/end_family.js';
import { findCli } from '../all_clis.js';
import { faultOf } from '../fault.js';
import { type RunRecord, readRecords, removeRecord } from './run_records.js';
import { openRunText } from './run_text.js';
import { storeRun } from './store_run.js';

/** Finishes the exchanges that an earlier process left behind: ends what runs of them, and appends what they did. */
export async function recoverRuns(parts: ToolParts, runs: string): Promise<void> {
  const records = readRecords(runs);
  for (const { markers } of records) for (const marker of markers) await killFamily({ marker, leader: null });
  for (const record of records) {
    await appendRun(parts, runs, record).catch((error: unknown) =>
      parts.log('error', `what an agent did cannot be kept: ${String(error)}`),
    );
  }
}

async function appendRun(parts: ToolParts, runs: string, record: RunRecord): Promise<void> {
  const { id, place, turn, begun_at_ms, agent } = record;
  const run = openRunText(runs, id);
  const cli = findCli(agent, parts.machine.cognitionHome);
  if (cli !== null && (await findNode(parts.hub, id)) === null) {
    const fault = faultOf(cli, 'killed', 'interrupted: the tools process or the hub ended while it worked');
    const call = { id, place, append: true, call_id: null, begun_at_ms, turn };
    await storeRun(parts, { record, call, run, end: { session: null, at: null, fault } }).catch(unlessGone);
  }
  run.remove();
  removeRecord(runs, id);
}

/** The place was purged meanwhile: there is nothing to tell of. */
function unlessGone(error: unknown): void {
  if (error instanceof HubError && !error.retryable && error.kind === 'not_found') return;
  throw error;
}
