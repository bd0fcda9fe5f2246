import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { ParsedOf, ResultOf } from '../../protocol/methods/method_table.js';
import { readProject } from '../tools/project_folders.js';
import { instructionsIn } from './instructions.js';
import { pathSettings, settingsBefore } from './settings.js';

/** The instruction files of the next turn: those in the settings that it goes on with, else those that it would read. */
export async function listInstructions(
  reach: InternalCaller,
  { node, project, cwd }: ParsedOf<'agent.instructions_list'>,
): Promise<ResultOf<'agent.instructions_list'>> {
  let treeProject = project;
  let branchCwd: string | null = null;
  if (node !== null) {
    const [current, found, place] = await Promise.all([
      pathSettings(reach, node),
      callHub(reach, 'loom.node_get', { node, tree: null }),
      callHub(reach, 'loom.context_get_place', { node }),
    ]);
    const { tree } = found.node;
    const previous = await settingsBefore(reach, { tree, current, change: null });
    if (previous !== null) return { files: instructionsIn(previous.system_prompt) };
    treeProject = (await callHub(reach, 'loom.tree_get', { tree })).project;
    branchCwd = place.model_cwd;
  }
  const wanted = { project: treeProject, branch: branchCwd, caller: cwd, parts: ['instructions' as const] };
  return { files: (await readProject(reach, wanted)).instructions.map(({ path }) => path) };
}
