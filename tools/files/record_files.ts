import { HubError } from '../../hub/base/error.js';
import { hintText } from '../../hub/base/hint.js';
import type { ParsedOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Sha256 } from '../../hub/protocol/node.js';
import type { ToolParts } from '../base/tool_parts.js';
import type { ProjectWorkers, StoredProject } from './project_workers.js';

/** How long a project rests that was found to be too large: looking costs the same every time. */
const REST_MS = 10 * 60 * 1_000;

/** Records projects for nodes. That it cannot is no failure of what asks for it: it is told, once. */
export function createRecorder({ hub, clock }: Pick<ToolParts, 'hub' | 'clock'>, workers: ProjectWorkers) {
  const restsUntil = new Map<string, number>();
  const told = new Set<string>();
  const untold = new Map<string, string[]>();

  const take = (params: SnapshotParams): Promise<Taken> => workers.record(params.project, (own) => takeOf(own, params));

  async function takeOf(own: StoredProject, { tree, node, moment, copy }: SnapshotParams): Promise<Taken> {
    const project = copy === null ? own : workers.copyOf(own.id, copy);
    const kind = copy === null ? moment : 'copied';
    const { root, left_out: leftOut } = await workers.ask(project, { kind: 'snapshot' });
    if (root !== null) await hub.call('loom.snapshot_add', { tree, node, folder: project.id, root, kind });
    return { root, lines: leftOut.map((one) => `${one.path} is not recorded: it is ${one.why}`) };
  }

  async function attemptTo(params: SnapshotParams): Promise<Taken> {
    if (clock() < (restsUntil.get(params.project) ?? 0)) return { root: null, lines: [] };
    try {
      return await take(params);
    } catch (error) {
      if (!(error instanceof HubError) || error.kind === 'cancelled') throw error;
      if (isTooLarge(error)) restsUntil.set(params.project, clock() + REST_MS);
      const hint = error.hint === null ? '' : ` (${hintText(error.hint)})`;
      return { root: null, lines: [error.message + hint] };
    }
  }

  const tell = (project: string): string[] => {
    const lines = untold.get(project) ?? [];
    untold.delete(project);
    return onceOf(told, lines, project);
  };

  return {
    async record(params: SnapshotParams): Promise<ResultOf<'files.snapshot'>> {
      const { project, tells } = params;
      const { root, lines } = await attemptTo(params);
      untold.set(project, [...(untold.get(project) ?? []), ...lines]);
      return { root, told: tells ? tell(project) : [] };
    },
    /** Resolves when what was to be recorded of a project is, with what has not been told. */
    async settle({ project, tells }: ParsedOf<'files.settle'>): Promise<ResultOf<'files.settle'>> {
      // Where nothing can be recorded there is nothing to wait for.
      await workers.project(project).catch(() => null);
      return { told: tells ? tell(project) : [] };
    },
  };
}

/** What only took too long goes on with the next step. */
const isTooLarge = ({ kind, retryable }: HubError): boolean => kind === 'limit' && !retryable;

type SnapshotParams = ParsedOf<'files.snapshot'>;
type Taken = { root: Sha256 | null; lines: string[] };

const TOLD_MAX = 5;

/** The lines that have not been told of a project; of many the first. */
function onceOf(told: Set<string>, lines: readonly string[], project: string): string[] {
  const fresh = [...new Set(lines)].filter((line) => !told.has(`${project} ${line}`));
  for (const line of fresh) told.add(`${project} ${line}`);
  const more = fresh.length - TOLD_MAX;
  return more > 0 ? [...fresh.slice(0, TOLD_MAX), `${more} more are not recorded`] : fresh;
}
