import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { Tree } from '../../protocol/node.js';
import { SettingsChange } from '../../protocol/turn.js';
import { levelOf, type SettingsWanted, type StoredSettings, settleSettings } from './settings.js';

/** Whose a tree is; null for a person's own. */
type Owner = Tree['owner'];

/** There is one level of sub-sessions: refuses what would be another, whoever asks for it. */
export async function refuseSecondLevel(
  reach: InternalCaller,
  owner: Owner,
  change: SettingsChange | null,
): Promise<void> {
  if (owner === null) return;
  if (change?.level === 'orchestrator') {
    throw new HubError('invalid_params', 'a sub-session cannot start sub-sessions of its own', {
      hint: 'leave its level as it is; for an orchestrator begin a conversation of your own',
    });
  }
  const above = await callHub(reach, 'loom.tree_get', { tree: owner.tree }).catch((error: unknown) => {
    // An imported tree's owner may be in another home.
    if (error instanceof HubError && error.kind === 'not_found') return null;
    throw error;
  });
  if (above === null || above.owner === null) return;
  throw new HubError(
    'invalid_params',
    `the tree ${owner.tree} is a sub-session, which has no sub-sessions of its own`,
    {
      hint: 'begin it below the tree that the sub-session belongs to',
    },
  );
}

/**
 * The settings that the turn goes on with, stored. In a tree that a node owns, and where that is not wanted, nobody starts
 * sub-sessions: whatever the path or the usual says, the level is less then.
 */
export async function settleLevel(
  reach: InternalCaller,
  owner: Owner,
  wanted: SettingsWanted,
): Promise<StoredSettings> {
  const settled = await settleSettings(reach, wanted);
  const mayNot = owner !== null || wanted.change?.spawn === false;
  if (!mayNot || levelOf(settled.settings) !== 'orchestrator') return settled;
  const change = { ...(wanted.change ?? SettingsChange.parse({})), level: 'minimal' as const };
  return settleSettings(reach, { ...wanted, change });
}
