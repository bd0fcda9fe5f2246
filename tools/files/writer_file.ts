import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { HubError } from '../../hub/base/error.js';
import { findProcess } from '../process/process_table.js';
import { attempt } from '../walk/pinned_folder.js';

const WAIT_MS = 20;
const TRIES = 500;

/** Notes in a file which process writes to a store. */
export async function noteWriter(file: string, pid: number): Promise<void> {
  const start = (await findProcess(pid))?.start ?? '';
  writeFileSync(file, `${pid} ${start}`, { mode: 0o600 });
}

/** Resolves when the noted process, whose own parent may have been killed, is no more: it ends as soon as it has done what it does. */
export async function untilEnded(file: string): Promise<void> {
  const [pid = '', start = ''] = (attempt(() => readFileSync(file, 'utf8')) ?? '').split(' ');
  for (let count = 0; count < TRIES; count += 1) {
    if (pid === '' || (await findProcess(Number(pid)))?.start !== start) return;
    await wait(WAIT_MS);
  }
  throw new HubError('conflict', `process ${pid} of an earlier hub still writes to the snapshots`, { retryable: true });
}
