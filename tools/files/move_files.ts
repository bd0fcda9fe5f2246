import { realpathSync } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import { isWithin } from '../../hub/base/is_within.js';
import { OWN_COPY } from '../../hub/protocol/limits.js';
import type { ParsedOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Sha256 } from '../../hub/protocol/node.js';
import type { HubLink } from '../base/tool_parts.js';
import { attempt } from '../walk/pinned_folder.js';
import type { ProjectWorkers, StoredProject } from './project_workers.js';
import { refuseUnderWay } from './refuse_under_way.js';

type MoveParams = ParsedOf<'files.move'>;
type Moved = ResultOf<'files.move'>;
/** What is recorded of both places. */
type Known = Record<'base' | 'target' | 'known', Sha256>;

const NOTHING = { changed: 0, changes: [], kept: [], own: { changed: 0, changes: [] } };

export interface MoverParts {
  hub: HubLink;
  isRecorded(): boolean;
}

/** Takes files along with who goes from node to node. */
export function createMover({ hub, isRecorded }: MoverParts, workers: ProjectWorkers) {
  return async (params: MoveParams): Promise<Moved> => {
    const { tree, node } = params;
    const project = isRecorded() ? await recordedProject(workers, params.project) : null;
    if (project === null) return { outcome: 'unknown', ...NOTHING };
    const { copies } = await hub.call('loom.copy_list', { tree, node });
    if (copies[0]?.label === OWN_COPY) return { outcome: 'own', ...NOTHING };
    const { at, newest, latest } = await hub.call('loom.snapshot_find', { tree, node, folder: project.id });
    if (newest === null || latest === null) return { outcome: 'unknown', ...NOTHING };
    if (at === null) return { outcome: 'unrecorded', ...NOTHING };
    if (newest.root === at.root) return { outcome: 'same', ...NOTHING };
    return moveBetween({ hub, workers, project }, params, { base: newest.root, target: at.root, known: latest });
  };
}

async function moveBetween(parts: MoveParts, params: MoveParams, known: Known): Promise<Moved> {
  const { hub, workers, project } = parts;
  const { tree, node, changes } = params;
  if (changes === 'keep') {
    await hub.call('loom.snapshot_add', { tree, node, folder: project.id, root: known.base, kind: 'left' });
    return { outcome: 'kept', ...NOTHING };
  }
  if (changes === 'look') return look(workers, project, known);
  if (await isBusy(hub, project.path)) return { outcome: 'busy', ...NOTHING };
  refuseUnderWay(project.path);
  return move(parts, { ...params, changes }, known);
}

/** Null for a folder whose files are not recorded. */
async function recordedProject(workers: ProjectWorkers, path: string): Promise<StoredProject | null> {
  try {
    return await workers.project(path);
  } catch (error) {
    if (error instanceof HubError && (error.kind === 'limit' || error.kind === 'not_found')) return null;
    throw error;
  }
}

async function look(workers: ProjectWorkers, project: StoredProject, { base, target }: Known): Promise<Moved> {
  const { changed, changes } = await workers.ask(project, {
    kind: 'diff',
    before: base,
    after: target,
    detail: 'names',
  });
  return { ...NOTHING, outcome: 'differs', changed, changes };
}

interface MoveParts {
  hub: HubLink;
  workers: ProjectWorkers;
  project: StoredProject;
}

async function move(
  { hub, workers, project }: MoveParts,
  { tree, node, from, changes }: MoveParams & { changes: 'ask' | 'carry' | 'leave' },
  known: Known,
): Promise<Moved> {
  const report = await workers.ask(project, { kind: 'move', ...known, changes });
  const { root: present, moved, changed, kept, own } = report;
  if (moved === null || present === null) return { ...NOTHING, outcome: 'differs', changes: report.changes, own };
  const note = (place: typeof node, root: Sha256, kind: 'left' | 'stood' | 'carried') =>
    hub.call('loom.snapshot_add', { tree, node: place, folder: project.id, root, kind });
  if (changes === 'leave') await note(from, present, 'left');
  await note(node, known.target, 'stood');
  // What was carried is not asked about again.
  if (moved !== known.target) await note(node, moved, 'carried');
  return { outcome: 'moved', changed, changes: report.changes, kept, own };
}

/** Refuses to change files while a turn, or git, works with them. */
export async function refuseBusy(hub: HubLink, project: string): Promise<void> {
  refuseUnderWay(project);
  if (!(await isBusy(hub, project))) return;
  throw new HubError('conflict', `a turn is running in ${project}: its files stay until it has ended`, {
    hint: 'wait for its end, or stop it',
  });
}

/** Whether a turn runs whose project shares files with this one; one that waits for a person does not. */
async function isBusy(hub: HubLink, project: string): Promise<boolean> {
  const [{ turns }, { copies }] = await Promise.all([hub.call('agent.status', {}), hub.call('loom.copy_list', {})]);
  const inCopies = new Set(copies.map(({ turn }) => turn));
  const working = turns.filter(
    ({ activity, turn, parent }) => activity !== 'asking' && !inCopies.has(parent?.turn ?? turn),
  );
  const trees = new Set(working.map(({ tree }) => tree));
  const projects = await Promise.all([...trees].map((tree) => hub.call('loom.tree_get', { tree })));
  return projects.some(({ project: path }) => {
    const real = path === null ? null : attempt(() => realpathSync.native(path));
    return real !== null && (isWithin(real, project) || isWithin(project, real));
  });
}
