import { callHub, type InternalCaller, pathPages } from '../../base/internal_call.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { NodeId, Sha256 } from '../../protocol/node.js';
import { planFileOf } from '../tools/project_folders.js';
import { firstSettings, levelOf, storedSettings } from './settings.js';

/**
 * The level of the next turn at a node, the newest settings from outside plan mode, and the text of the project's plan.
 * A tree without a project has no plan.
 */
export async function planAt(reach: InternalCaller, node: NodeId): Promise<ResultOf<'agent.plan_get'>> {
  const { tree } = (await callHub(reach, 'loom.node_get', { node, tree: null })).node;
  const { project } = await callHub(reach, 'loom.tree_get', { tree });
  const { settings: newest } = await callHub(reach, 'loom.context_get_settings', { node });
  const level = levelOf(newest === null ? await firstSettings(reach, tree) : await storedSettings(reach, newest));
  const before = level === 'plan' ? await settingsBeforePlans(reach, node) : newest;
  if (project === null) return { level, before, file: null, text: null };
  const wanted = { project, branch: null, caller: project, parts: ['plan' as const] };
  const { plan } = await callHub(reach, 'file.project_read', wanted);
  return { level, before, file: planFileOf(project), text: plan };
}

/** The newest settings on a path whose level is not plan; null for none. */
async function settingsBeforePlans(reach: InternalCaller, node: NodeId): Promise<Sha256 | null> {
  const used = await settingsUsed(reach, node);
  // The newest first: one run of plan mode often has only one set of settings.
  for (const sha256 of used.reverse()) {
    const { settings, untrusted } = await callHub(reach, 'loom.settings_get', { sha256 });
    if (!untrusted && levelOf(settings) !== 'plan') return sha256;
  }
  return null;
}

/** The settings of a path, each once, ordered by their last use. */
async function settingsUsed(reach: InternalCaller, node: NodeId): Promise<Sha256[]> {
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
