import type { Plugin } from '../../hub/base/plugin.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { NodeId, Sha256, TreeId } from '../../hub/protocol/node.js';
import type { HubLink, ToolParts } from '../base/tool_parts.js';
import type { Sandbox } from '../sandbox/forms/sandbox.js';
import { createCopies } from './copies.js';
import { createCounting } from './count_differences.js';
import { createMaintenance } from './maintain_stores.js';
import { createMover, refuseBusy } from './move_files.js';
import { createProjectWorkers, type StoredProject } from './project_workers.js';
import { createRecorder } from './record_files.js';
import { rootAt } from './recorded_root.js';
import { createTransfers } from './transfer_files.js';

const VERSION = '1.0.0';

type RestoreParams = ParsedOf<'files.restore'>;

/** The files of projects: recorded for nodes, compared, and brought back. */
export function createFiles(parts: ToolParts & { sandbox: Sandbox }): Plugin {
  const { hub, config } = parts;
  const workers = createProjectWorkers(parts);
  const { record, settle } = createRecorder(parts, workers);
  const leave = ({ id: folder }: StoredProject, { tree, node, root }: { tree: TreeId; node: NodeId; root: Sha256 }) =>
    hub.call('loom.snapshot_add', { tree, node, folder, root, kind: 'left' });

  return {
    name: 'files',
    version: VERSION,
    methods: {
      'files.snapshot': async (params) => (config.filesRecorded() ? record(params) : { root: null, told: [] }),
      'files.settle': settle,
      async 'files.status'({ project: path, tree }) {
        const project = await workers.project(path);
        const newest = tree && (await hub.call('loom.snapshot_find', { tree, folder: project.id })).newest;
        const now = await workers.ask(
          project,
          newest === null ? { kind: 'snapshot' } : { kind: 'diff', before: newest.root, after: null, detail: 'names' },
        );
        const { files, bytes, changed, changes, left_out } = now;
        const recorded = newest && { node: newest.node, at_ms: newest.at_ms };
        return { recorded, files, bytes, changed, changes, left_out };
      },
      async 'files.diff'({ project: path, tree, node, other, detail }) {
        const project = await workers.project(path);
        const { root: before } = await rootAt(hub, project, { tree, node });
        const after = other === null ? null : (await rootAt(hub, project, { tree, node: other })).root;
        const { changed, changes, patch } = await workers.ask(project, { kind: 'diff', before, after, detail });
        return { changed, changes, patch };
      },
      'files.count': createCounting(hub, workers),
      async 'files.plan'(params) {
        const project = await workers.project(params.project);
        const move = await moveTo(hub, project, params);
        const { changed, changes, kept } = await workers.ask(project, { kind: 'plan', ...move });
        return { changed, changes, kept };
      },
      async 'files.restore'(params) {
        const project = await workers.project(params.project);
        await refuseBusy(hub, project.path);
        const move = await moveTo(hub, project, params);
        const { changed, kept } = await workers.ask(project, { kind: 'restore', ...move });
        await leave(project, { ...params, node: params.stands ?? params.node, root: move.target });
        return { changed, kept };
      },
      'files.move': createMover({ hub, isRecorded: config.filesRecorded }, workers),
      ...createCopies(parts, workers),
      async 'files.undo'({ project: path, tree, node }) {
        const project = await workers.project(path);
        await refuseBusy(hub, project.path);
        const { root, changed, kept } = await workers.ask(project, { kind: 'undo' });
        if (root !== null) await leave(project, { tree, node, root });
        return { changed, kept };
      },
      ...createMaintenance(parts, workers),
      ...createTransfers(parts, workers),
    },
    close: () => workers.close(),
  };
}

async function moveTo(hub: HubLink, project: StoredProject, params: Omit<RestoreParams, 'stands'>) {
  const { root, made, newest } = await rootAt(hub, project, params);
  // Who has what was left there, such as by a restore, asks for what was made there.
  return { base: newest, target: root === newest ? made : root, exact: params.exact };
}
