import { rmSync } from 'node:fs';
import { detach } from '../../hub/base/detach.js';
import type { NodeId } from '../../hub/protocol/node.js';
import { findNode } from '../base/store_output.js';
import type { ToolParts } from '../base/tool_parts.js';
import { killFamily } from '../process/end_family.js';
import { findProcess } from '../process/process_table.js';
import { createSpool, openSpool, type Spool } from '../process/spool.js';
import {
  type CommandEnd,
  type Leader,
  readUnfinishedRecord,
  readUnfinishedRecords,
  type UnfinishedRecord,
} from './command_records.js';
import { mayStoreLater, storeCommand } from './store_result.js';

/** Commands that have ended, but whose nodes are not appended yet. */
export interface Recovering {
  /** How many are being stored. */
  running(): number;
  /** Resolves when the record of a command that does not run is dealt with. */
  settle(id: NodeId): Promise<void>;
}

/**
 * Finishes the commands that an earlier process left behind: when this resolves none of their processes
 * is alive. What they printed is stored after that.
 */
export async function recoverCommands(parts: ToolParts): Promise<Recovering> {
  const orphans: string[] = [];
  const records = readUnfinishedRecords(parts.machine.commands, parts.log, (marker) => orphans.push(marker));
  for (const marker of orphans) await killFamily({ marker, leader: null });
  for (const { start, leader, end } of records) {
    // A command that had ended by itself keeps its background jobs.
    if (end === null) await killFamily({ marker: start.marker, leader: await aliveLeader(leader) });
  }
  const recovering = new Map<NodeId, Promise<void>>();
  let last = Promise.resolve();

  function add(record: UnfinishedRecord): Promise<void> {
    const { id } = record.start;
    last = last.then(() => settleRecord(parts, record)).finally(() => recovering.delete(id));
    recovering.set(id, last);
    return last;
  }

  for (const record of records) {
    detach(add(record), (error) => parts.log('error', `a record of a command cannot be removed: ${String(error)}`));
  }
  return {
    running: () => recovering.size,
    settle(id) {
      const pending = recovering.get(id);
      if (pending !== undefined) return pending;
      // One that this process itself could not store, such as on a full disk: a retry means that there is room now.
      const record = readUnfinishedRecord(parts.machine.commands, id);
      return record === null ? Promise.resolve() : add(record);
    },
  };
}

/** Its pid may belong to another process by now. */
async function aliveLeader(leader: Leader | null): Promise<number | null> {
  if (leader === null) return null;
  const alive = await findProcess(leader.pid);
  return alive !== null && alive.start === leader.start ? leader.pid : null;
}

async function settleRecord(parts: ToolParts, record: UnfinishedRecord): Promise<void> {
  const { start } = record;
  let spool: Spool | null = null;
  try {
    if (start.append && (await findNode(parts.hub, start.id)) === null) {
      spool = openUnfinishedSpool(record.spoolPath);
      await storeCommand(parts.hub, { start, end: record.end ?? interrupted(record), spool });
      parts.log('info', `the command ${start.id} was interrupted; it is kept as far as it came`);
    }
    record.remove();
  } catch (error) {
    const isLater = mayStoreLater(error);
    const what = isLater ? 'is left for the next start' : 'is given up';
    parts.log('error', `what the command ${start.id} came to cannot be kept and ${what}: ${String(error)}`);
    if (!isLater) record.remove();
  } finally {
    spool?.close();
  }
}

function interrupted({ start, lastHeardMs }: UnfinishedRecord): CommandEnd {
  return {
    ...{ exit_code: null, signal: 'SIGKILL', cwd: start.cwd, background_ended: 0 },
    duration_ms: Math.max(0, Math.round(lastHeardMs) - start.started_at_ms),
    reason: 'interrupted: the tools process or the hub ended while it ran',
  };
}

/** The stored output; empty when nothing was printed. */
function openUnfinishedSpool(path: string): Spool {
  const spool = openSpool(path);
  if (spool !== null) return spool;
  rmSync(path, { force: true });
  return createSpool(path, 0);
}
