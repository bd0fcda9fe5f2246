import { asked, pathPages, type Reach } from '../context/reach.js';
import type { ResultOf } from '../protocol/methods.js';
import type { NodeId, Sha256 } from '../protocol/node.js';
import { type Level, PLAN_LENGTH_MAX } from '../protocol/turn.js';
import { firstSettings, levelOf } from './settings.js';
import { readSmallFile } from './small_file.js';
import { planFileOf } from './workplace.js';

/**
 * At which level a turn would go on at a node, with which settings the work went on before plans were made, and what the
 * project's plan says. Without a project of the tree there is no plan.
 */
export async function planAt(reach: Reach, node: NodeId): Promise<ResultOf<'agent.plan_get'>> {
  const { tree } = (await asked(reach, 'loom.node_get', { node, tree: null })).node;
  const { project } = await asked(reach, 'loom.tree_get', { tree });
  const used = await settingsUsed(reach, node);
  let before: Sha256 | null = null;
  let level: Level | null = null;
  // The newest first: the settings of one run of plan mode are often only one.
  for (const sha256 of used.reverse()) {
    const { settings } = await asked(reach, 'loom.settings_get', { sha256 });
    const one = levelOf(settings);
    level ??= one;
    if (one === 'plan') continue;
    before = sha256;
    break;
  }
  level ??= levelOf(await firstSettings(reach, tree));
  const file = project === null ? null : planFileOf(project);
  const text = file === null || project === null ? null : await readSmallFile(file, PLAN_LENGTH_MAX, project);
  return { level, before, file, text };
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
