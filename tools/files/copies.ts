import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import type { ParsedOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolParts } from '../base/tool_parts.js';
import { bytesIn, copyPackagesOf, makeCopyFolder } from './copy_folders.js';
import { createGoingOn } from './go_on_in_copy.js';
import type { ProjectWorkers } from './project_workers.js';
import { copyRow, createTaking } from './take_changes.js';

/** The folders in which single turns work, each as if it were the project. */
export function createCopies({ hub }: Pick<ToolParts, 'hub'>, workers: ProjectWorkers) {
  async function make(params: ParsedOf<'files.copy_make'>): Promise<ResultOf<'files.copy_make'>> {
    const { tree, node, turn, label, check } = params;
    const project = await workers.project(params.project);
    const { root: present } = await workers.ask(project, { kind: 'snapshot' });
    if (present === null) return { files: 0, told: [] };
    const place = { tree, node, folder: project.id };
    const recorded = params.as_recorded ? (await hub.call('loom.snapshot_find', place)).at : null;
    const root = recorded?.root ?? present;
    const copy = { ...workers.copyOf(project.id, turn), from: project.path };
    await makeCopyFolder(hub, workers, { project, copy });
    await workers.ask(copy, { kind: 'restore', base: root, target: root, exact: true });
    const { root: base, files } = await workers.ask(copy, { kind: 'snapshot' });
    await hub.call('loom.copy_add', { ...place, turn, project: project.path, label, check, base: base ?? root });
    // What it changes is told from here on.
    await hub.call('loom.snapshot_add', { ...place, root: base ?? root, kind: 'copied' });
    return { files, told: await copyPackagesOf(workers, copy) };
  }

  async function list({ tree }: ParsedOf<'files.copy_list'>): Promise<ResultOf<'files.copy_list'>> {
    const { copies } = await hub.call('loom.copy_list', { tree });
    return {
      copies: copies.map(({ folder, base: _base, ...row }) => {
        const { path } = workers.copyOf(folder, row.turn);
        return { ...row, bytes: existsSync(path) ? bytesIn(path) : null };
      }),
    };
  }

  async function remove({ turn }: ParsedOf<'files.copy_remove'>): Promise<ResultOf<'files.copy_remove'>> {
    const { folder } = await copyRow(hub, turn);
    const copy = workers.copyOf(folder, turn);
    const { turns } = await hub.call('agent.status', {});
    if (turns.some((one) => one.turn === turn)) {
      throw new HubError('conflict', `turn ${turn} still works in its copy`, { hint: 'stop it first' });
    }
    if (existsSync(copy.path)) {
      await workers.ask(copy, { kind: 'empty' });
      rmdirSync(copy.path);
    }
    rmSync(`${copy.path}.state`, { recursive: true, force: true });
    return hub.call('loom.copy_remove', { turn });
  }

  return {
    'files.copy_make': make,
    'files.copy_go_on': createGoingOn(hub, workers),
    'files.take': createTaking(hub, workers),
    'files.copy_list': list,
    'files.copy_remove': remove,
  };
}
