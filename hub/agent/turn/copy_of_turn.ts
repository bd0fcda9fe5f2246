import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { PolicyCopy } from '../../protocol/policy.js';
import type { RunningTurn } from './running_turn.js';
import type { RunParams } from './turn_params.js';

/** The copy of the project that was made for a turn, or for the one whose sub-session it is. */
export async function copyOf(
  reach: InternalCaller,
  turn: RunningTurn,
  grants: RunParams['grants'],
): Promise<PolicyCopy | null> {
  const owner = turn.errand?.parent.turn ?? turn.id;
  const [found] = (await callHub(reach, 'loom.copy_list', { turn: owner, tree: null })).copies;
  if (found === undefined) return null;
  const { project, folder } = found;
  if (!grants.unsandboxed) return { project, folder, turn: owner };
  throw new HubError('invalid_params', 'a turn with a copy of its own works in a sandbox', {
    hint: 'leave out --no-sandbox, or do without a copy',
  });
}
