import { asked, pathPages, type Reach } from '../context/reach.js';
import type { ResultOf } from '../protocol/methods.js';
import type { NodeId, Sha256 } from '../protocol/node.js';
import { PLAN_LENGTH_MAX } from '../protocol/turn.js';
import { levelOf } from './settings.js';
import { readSmallFile } from './small_file.js';
import { planFileOf } from './workplace.js';

/**
 * Whether plans are made at a node, with which settings the work went on before, and what the project's plan says. Without
 * a project of the tree there is no plan.
 */
export async function planAt(reach: Reach, node: NodeId): Promise<ResultOf<'agent.plan_get'>> {
  const { tree } = (await asked(reach, 'loom.node_get', { node, tree: null })).node;
  const { project } = await asked(reach, 'loom.tree_get', { tree });
  const used = await settingsUsed(reach, node);
  let before: Sha256 | null = null;
  let isPlanning = false;
  // The newest first: the settings of one run of plan mode are often only one.
  for (const [index, sha256] of used.reverse().entries()) {
    const { settings } = await asked(reach, 'loom.settings_get', { sha256 });
    const plans = levelOf(settings) === 'plan';
    if (index === 0) isPlanning = plans;
    if (plans) continue;
    before = sha256;
    break;
  }
  const file = project === null ? null : planFileOf(project);
  const text = file === null || project === null ? null : await readSmallFile(file, PLAN_LENGTH_MAX, project);
  return { planning: isPlanning, before, file, text };
}

/** The settings of a path, each once, by where it was used last. */
async function settingsUsed(reach: Reach, node: NodeId): Promise<Sha256[]> {
  const used = new Set<Sha256>();
  for await (const { nodes } of pathPages(reach, node)) {
    for (const { role, settings } of nodes) {
      if (role !== 'assistant' || settings === null) continue;
      used.delete(settings);
      used.add(settings);
    }
  }
  return [...used];
}
