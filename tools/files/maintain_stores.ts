import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import { Sha256 } from '../../hub/protocol/node.js';
import type { ToolParts } from '../base/tool_parts.js';
import type { ProjectWorkers } from './project_workers.js';

/** What is done with the stores of all projects, which need not be there any more. */
export function createMaintenance({ hub, machine }: Pick<ToolParts, 'hub' | 'machine'>, workers: ProjectWorkers) {
  const stores = join(machine.cognitionHome, 'files');
  const storedIds = (): Sha256[] => {
    const names = existsSync(stores) ? readdirSync(stores) : [];
    return names.flatMap((name) => Sha256.safeParse(name).data ?? []);
  };
  const rootsOf = async (folder: Sha256): Promise<Sha256[]> =>
    (await hub.call('loom.snapshot_roots', { folder })).roots;

  async function problemsOf(id: Sha256): Promise<Omit<ResultOf<'files.check'>, 'projects'>> {
    const roots = await rootsOf(id);
    try {
      const found = await workers.maintain(id, async () => ({ kind: 'check', roots }));
      const problems = found.problems.map((problem) => `files/${id}: ${problem}`);
      return { snapshots: roots.length, bytes: found.bytes, unneeded: found.unneeded, problems };
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return { snapshots: roots.length, bytes: 0, unneeded: 0, problems: [`files/${id}: ${error.message}`] };
    }
  }

  return {
    async 'files.sweep'(): Promise<ResultOf<'files.sweep'>> {
      await workers.settled();
      const ids = storedIds();
      for (const id of ids) await workers.maintain(id, async () => ({ kind: 'sweep', roots: await rootsOf(id) }));
      return { swept: ids.length };
    },
    'files.repair': () => repairAll(storedIds(), rootsOf, workers),
    async 'files.check'(): Promise<ResultOf<'files.check'>> {
      await workers.settled();
      const ids = storedIds();
      const { folders } = await hub.call('loom.snapshot_folders', {});
      const absent = folders.filter((folder) => !ids.includes(folder));
      const total: ResultOf<'files.check'> = {
        projects: ids.length,
        snapshots: 0,
        bytes: 0,
        unneeded: 0,
        problems: [],
      };
      total.problems = absent.map((id) => `files/${id} is lost, with what was recorded of a project`);
      for (const id of ids) {
        const { snapshots, bytes, unneeded, problems } = await problemsOf(id);
        total.snapshots += snapshots;
        total.bytes += bytes;
        total.unneeded += unneeded;
        total.problems.push(...problems);
      }
      return { ...total, problems: total.problems.slice(0, PROBLEMS_MAX) };
    },
  };
}

const PROBLEMS_MAX = 1_000;

async function repairAll(
  ids: readonly Sha256[],
  rootsOf: (folder: Sha256) => Promise<Sha256[]>,
  workers: ProjectWorkers,
): Promise<ResultOf<'files.repair'>> {
  await workers.settled();
  const total = { aside: 0, saved: 0, removed: 0 };
  for (const id of ids) {
    const { repair } = await workers.maintain(id, async () => ({ kind: 'repair', roots: await rootsOf(id) }));
    total.aside += repair.aside;
    total.saved += repair.saved;
    total.removed += repair.removed;
  }
  return total;
}
