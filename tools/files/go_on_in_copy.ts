import { existsSync, renameSync } from 'node:fs';
import type { ParsedOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { NodeId, TurnId } from '../../hub/protocol/node.js';
import type { HubLink } from '../base/tool_parts.js';
import { copyPackagesOf, makeCopyFolder } from './copy_folders.js';
import type { ProjectWorkers } from './project_workers.js';

/** Gives a turn the copy that its branch has worked in; where that is not to be had, one with the same files. */
export function createGoingOn(hub: HubLink, workers: ProjectWorkers) {
  return async ({ tree, node, turn }: ParsedOf<'files.copy_go_on'>): Promise<ResultOf<'files.copy_go_on'>> => {
    const last = (await hub.call('loom.copy_list', { tree, node })).copies.at(-1);
    if (last === undefined) return {};
    const { folder, project, label, check, base } = last;
    const { at } = await hub.call('loom.snapshot_find', { tree, node, folder });
    const [before, made] = [workers.copyOf(folder, last.turn), workers.copyOf(folder, turn)];
    const root = at?.root ?? base;
    if (existsSync(before.path) && (await isFree(hub, last.turn, node))) {
      await workers.rest(folder);
      for (const end of ['', '.state']) renameSync(`${before.path}${end}`, `${made.path}${end}`);
      await workers.ask(made, { kind: 'restore', base: root, target: root, exact: true });
    } else {
      const copy = { ...made, from: existsSync(project) ? project : null };
      await makeCopyFolder(hub, workers, { project: { id: folder, path: project, copy: null, from: null }, copy });
      await workers.ask(copy, { kind: 'restore', base: root, target: root, exact: true });
      await copyPackagesOf(workers, copy);
    }
    await hub.call('loom.copy_add', { turn, tree, node, folder, project, label, check, base });
    await hub.call('loom.snapshot_add', { tree, node, folder, root, kind: 'copied' });
    return {};
  };
}

/** Whether a turn is over, and a node is where it ended or below: then its copy is nobody else's. */
async function isFree(hub: HubLink, turn: TurnId, node: NodeId): Promise<boolean> {
  const { turns } = await hub.call('agent.status', {});
  if (turns.some((one) => one.turn === turn)) return false;
  const { tip } = (await hub.call('loom.turn_get', { turn })).turn;
  const { depth } = (await hub.call('loom.node_get', { node: tip })).node;
  const { nodes } = await hub.call('loom.context_get_path', { node, from_depth: depth, limit: 1 });
  return nodes[0]?.id === tip;
}
