import { rmSync } from 'node:fs';
import { detach } from '../../hub/base/detach.js';
import type { NodeId } from '../../hub/protocol/node.js';
import type { ToolParts } from '../base/parts.js';
import { nodeIfThere } from '../base/store_output.js';
import { killFamily } from '../process/end_family.js';
import { lookAtProcess } from '../process/process_table.js';
import { createSpool, openSpool, type Spool } from '../process/spool.js';
import { type End, type Leader, type LeftOver, leftOverRecord, leftOverRecords } from './command_records.js';
import { keepCommand, mayWorkLater } from './store_result.js';

/** Commands that have ended, but whose nodes could not be appended yet. */
export interface Recovering {
  /** How many are being put in order. */
  running(): number;
  /** Resolves when what is left of a command that does not run is in order, as far as it can be. */
  settle(id: NodeId): Promise<void>;
}

/**
 * Brings to their end the commands that a process before this one left: when this resolves none of their processes
 * is alive. What they printed is stored after that.
 */
export async function recover(parts: ToolParts): Promise<Recovering> {
  const orphans: string[] = [];
  const found = leftOverRecords(parts.machine.commands, parts.log, (marker) => orphans.push(marker));
  for (const marker of orphans) await killFamily({ marker, leader: null });
  for (const { begun, leader, end } of found) {
    // What had ended by itself keeps its background jobs.
    if (end === null) await killFamily({ marker: begun.marker, leader: await aliveLeader(leader) });
  }
  const recovering = new Map<NodeId, Promise<void>>();
  let last = Promise.resolve();

  function add(record: LeftOver): Promise<void> {
    const { id } = record.begun;
    last = last.then(() => putInOrder(parts, record)).finally(() => recovering.delete(id));
    recovering.set(id, last);
    return last;
  }

  for (const record of found) {
    detach(add(record), (error) => parts.log('error', `a record of a command cannot be removed: ${String(error)}`));
  }
  return {
    running: () => recovering.size,
    settle(id) {
      const underWay = recovering.get(id);
      if (underWay !== undefined) return underWay;
      // One that this process itself could not keep, such as on a full disk: whoever asks again has made room.
      const left = leftOverRecord(parts.machine.commands, id);
      return left === null ? Promise.resolve() : add(left);
    },
  };
}

/** Its number may belong to another process by now. */
async function aliveLeader(leader: Leader | null): Promise<number | null> {
  if (leader === null) return null;
  const seen = await lookAtProcess(leader.pid);
  return seen !== null && seen.start === leader.start ? leader.pid : null;
}

async function putInOrder(parts: ToolParts, record: LeftOver): Promise<void> {
  const { begun } = record;
  let spool: Spool | null = null;
  try {
    if (begun.append && (await nodeIfThere(parts.hub, begun.id)) === null) {
      spool = leftSpool(record.spoolPath);
      await keepCommand(parts.hub, { begun, end: record.end ?? interrupted(record), spool });
      parts.log('info', `the command ${begun.id} was interrupted; it is kept as far as it came`);
    }
    record.remove();
  } catch (error) {
    const isLater = mayWorkLater(error);
    const what = isLater ? 'is left for the next start' : 'is given up';
    parts.log('error', `what the command ${begun.id} came to cannot be kept and ${what}: ${String(error)}`);
    if (!isLater) record.remove();
  } finally {
    spool?.close();
  }
}

function interrupted({ begun, lastHeardMs }: LeftOver): End {
  return {
    ...{ exit_code: null, signal: 'SIGKILL', cwd: begun.cwd, background_ended: 0 },
    duration_ms: Math.max(0, Math.round(lastHeardMs) - begun.started_at_ms),
    reason: 'interrupted: the tools process or the hub ended while it ran',
  };
}

/** What was printed; nothing when the command had not come so far. */
function leftSpool(path: string): Spool {
  const found = openSpool(path);
  if (found !== null) return found;
  rmSync(path, { force: true });
  return createSpool(path, 0);
}
