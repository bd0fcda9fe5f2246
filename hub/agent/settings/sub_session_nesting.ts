import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { Tree } from '../../protocol/node.js';
import { SettingsChange } from '../../protocol/turn.js';
import { levelOf, type SettingsParams, type StoredSettings, storeSettings } from './settings.js';

/** The node that owns a tree; null for a person's own tree. */
type Owner = Tree['owner'];

/** Sub-sessions do not nest: refuses a turn or a change that would make one inside another. */
export async function refuseNesting(reach: InternalCaller, owner: Owner, change: SettingsChange | null): Promise<void> {
  if (owner === null) return;
  if (change?.level === 'orchestrator') {
    throw new HubError('invalid_params', 'a sub-session cannot start sub-sessions of its own', {
      hint: 'leave its level as it is; for an orchestrator begin a conversation of your own',
    });
  }
  const ownerTree = await callHub(reach, 'loom.tree_get', { tree: owner.tree }).catch((error: unknown) => {
    // An imported tree's owner may be in another home.
    if (error instanceof HubError && error.kind === 'not_found') return null;
    throw error;
  });
  if (ownerTree === null || ownerTree.owner === null) return;
  throw new HubError(
    'invalid_params',
    `the tree ${owner.tree} is a sub-session, which has no sub-sessions of its own`,
    {
      hint: 'begin it below the tree that the sub-session belongs to',
    },
  );
}

/**
 * Stores the settings of the next turn. In a tree that a node owns, and where the change says so, no turn starts
 * sub-sessions: a level that could is lowered.
 */
export async function storeUnnestedSettings(
  reach: InternalCaller,
  owner: Owner,
  params: SettingsParams,
): Promise<StoredSettings> {
  const stored = await storeSettings(reach, params);
  const isForbidden = owner !== null || params.change?.spawn === false;
  if (!isForbidden || levelOf(stored.settings) !== 'orchestrator') return stored;
  const change = { ...(params.change ?? SettingsChange.parse({})), level: 'minimal' as const };
  return storeSettings(reach, { ...params, change });
}
