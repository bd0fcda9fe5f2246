import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../../../hub/base/disk/durable_file.js';
import { NodeId, TreeId, TurnId } from '../../../hub/protocol/node.js';
import { AgentName } from '../../../hub/protocol/outside_agent.js';
import { valueOrNull } from '../../sandbox/attempt.js';

/** What is on the disk of an exchange while it runs, so that the next process can finish it should this one die. */
export const RunRecord = z.object({
  id: NodeId,
  place: z.object({ tree: TreeId, node: NodeId }),
  turn: TurnId.nullable(),
  agent: AgentName,
  version: z.string().nullable(),
  task: z.string(),
  cwd: z.string(),
  started_at_ms: z.int(),
  begun_at_ms: z.int().nullable(),
  /** Of the processes that were started for it. */
  markers: z.array(z.string().regex(/^[0-9a-f]{32}$/)),
});
export type RunRecord = z.infer<typeof RunRecord>;

export function writeRecord(folder: string, record: RunRecord): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceFile(join(folder, `${record.id}.json`), JSON.stringify(record));
}

export function removeRecord(folder: string, id: NodeId): void {
  rmSync(join(folder, `${id}.json`), { force: true });
}

/** The records of exchanges that an earlier process has not finished. What cannot be read is removed. */
export function readRecords(folder: string): RunRecord[] {
  const names = valueOrNull(() => readdirSync(folder)) ?? [];
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const text = valueOrNull(() => readFileSync(join(folder, name), 'utf8')) ?? '';
      const record = RunRecord.safeParse(valueOrNull(() => JSON.parse(text)));
      if (record.success && name === `${record.data.id}.json`) return [record.data];
      rmSync(join(folder, name), { recursive: true, force: true });
      return [];
    });
}
