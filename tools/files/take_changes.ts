import { HubError } from '../../hub/base/error.js';
import { OWN_COPY, TAKEN_COPY } from '../../hub/protocol/limits.js';
import type { ParsedOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { NodeId, Sha256, TurnId } from '../../hub/protocol/node.js';
import type { HubLink } from '../base/tool_parts.js';
import { refuseBusy } from './move_files.js';
import type { ProjectWorkers, StoredProject } from './project_workers.js';
import { rootAt } from './recorded_root.js';

type CopyRow = ResultOf<'loom.copy_list'>['copies'][number];
type TakeParams = ParsedOf<'files.take'>;
/** Between which files lies what is taken. */
type Ends = { project: StoredProject } & Record<'base' | 'target', Sha256>;

/** What is known of the copy that was made for a turn. */
export async function copyRow(hub: HubLink, turn: TurnId): Promise<CopyRow> {
  const [row] = (await hub.call('loom.copy_list', { turn })).copies;
  if (row !== undefined) return row;
  throw new HubError('not_found', `no copy of a project was made for turn ${turn}`);
}

/** Brings what somebody has made elsewhere into a project. */
export function createTaking(hub: HubLink, workers: ProjectWorkers) {
  async function endsOf({ tree, of }: TakeParams): Promise<Ends> {
    if (of.kind === 'branch') {
      const project = await workers.project(of.project);
      const [{ root: base }, { root: target }] = await Promise.all([
        rootAt(hub, project, { tree, node: of.since }),
        rootAt(hub, project, { tree, node: of.node }),
      ]);
      return { project, base, target };
    }
    const row = await copyRow(hub, of.turn);
    return { project: await workers.project(row.project), base: row.base, target: await madeBy(row) };
  }

  /** What a turn has left in its copy: where it was done, without what was run there since, such as tests. */
  async function madeBy({ turn, tree, node, folder, base, label }: CopyRow): Promise<Sha256> {
    const { turn: record } = await hub.call('loom.turn_get', { turn });
    if (record.state === 'done') {
      const { at } = await hub.call('loom.snapshot_find', { tree, node: record.tip, folder });
      // What its branch had made before is recorded at its message.
      if (label === OWN_COPY) return at?.root ?? base;
      const depthOf = async (one: NodeId) => (await hub.call('loom.node_get', { node: one })).node.depth;
      // What is recorded at its message, or above, is not its own: it has changed nothing.
      return at !== null && (await depthOf(at.node)) > (await depthOf(node)) ? at.root : base;
    }
    const { root } = await workers.ask(workers.copyOf(folder, turn), { kind: 'snapshot' });
    if (root === null) throw new HubError('not_found', `the copy of turn ${turn} is not there any more`);
    return root;
  }

  return async (params: TakeParams): Promise<ResultOf<'files.take'>> => {
    const { tree, node, of, paths, theirs, look } = params;
    const { project, base, target } = await endsOf(params);
    if (!look) await refuseBusy(hub, project.path);
    const taken = await workers.ask(project, { kind: 'take', base, target, paths, theirs, look });
    const { changed, changes, kept, merged, moved } = taken;
    const note = (root: Sha256, kind: 'stood' | 'carried' | 'left') =>
      hub.call('loom.snapshot_add', { tree, node, folder: project.id, root, kind });
    if (!look && of.kind === 'copy') {
      await note(target, 'stood');
      await noteTaken(hub, of.turn);
    }
    if (!look && moved !== null && moved !== target) await note(moved, of.kind === 'copy' ? 'carried' : 'left');
    return { changed, changes, kept, merged };
  };
}

/** From then on its branch goes on in the project. */
async function noteTaken(hub: HubLink, turn: TurnId): Promise<void> {
  const { at_ms: _atMs, ...row } = await copyRow(hub, turn);
  if (row.label === OWN_COPY) await hub.call('loom.copy_add', { ...row, label: TAKEN_COPY });
}
