import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { OWN_COPY } from '../../protocol/limits.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { TurnId } from '../../protocol/node.js';
import type { PolicyCopy } from '../../protocol/policy.js';
import type { RunningTurn } from './running_turn.js';
import type { RunParams } from './turn_params.js';

/** The copy of the project that was made for a turn, or for the one whose sub-session it is. */
export async function copyOf(
  reach: InternalCaller,
  turn: RunningTurn,
  grants: RunParams['grants'],
): Promise<PolicyCopy | null> {
  const parent = turn.errand?.parent.turn ?? null;
  const found =
    (await copyMadeFor(reach, turn.id)) ??
    (parent === null ? await copyOfBranch(reach, turn) : await copyMadeFor(reach, parent));
  if (found === null) return null;
  const { project, folder, turn: owner } = found;
  if (!grants.unsandboxed) return { project, folder, turn: owner };
  throw new HubError('invalid_params', 'a turn with a copy of its own works in a sandbox', {
    hint: 'leave out --no-sandbox, or do without a copy',
  });
}

type Copy = ResultOf<'loom.copy_list'>['copies'][number];

async function copyMadeFor(reach: InternalCaller, turn: TurnId): Promise<Copy | null> {
  return (await callHub(reach, 'loom.copy_list', { turn, tree: null, node: null })).copies[0] ?? null;
}

/** A branch that works in a folder of its own goes on there. */
async function copyOfBranch(reach: InternalCaller, { id, tree, node }: RunningTurn): Promise<Copy | null> {
  const { copies } = await callHub(reach, 'loom.copy_list', { turn: null, tree, node });
  if (copies[0]?.label !== OWN_COPY) return null;
  await callHub(reach, 'files.copy_go_on', { tree, node, turn: id });
  return copyMadeFor(reach, id);
}
