import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';
import type { NodeId, TreeId, TurnId } from '../../hub/protocol/node.js';
import type { TurnOutcome } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { newTurnId } from '../position/ids.js';
import { type ModelAccess, modelAccess } from '../turn/model_access.js';
import { modelRoute } from '../turn/model_route.js';
import { runCompaction } from '../turn/run_turn.js';
import { windowPreferences } from '../turn/turn_options.js';
import type { TurnOutput } from '../turn/turn_output.js';

/** A branch by its end, and the node where it left the path to where one stands. */
export interface SummarisedBranch {
  tree: TreeId;
  from: NodeId;
  since: NodeId;
}

type Summarise = (
  client: Client,
  params: Omit<ParamsOf<'agent.compact'>, 'stream' | 'id' | 'access'> & { id: TurnId; access: ModelAccess },
) => Promise<TurnOutcome | null>;

const SILENT: TurnOutput = { take: async () => undefined, end: async () => undefined, hurry: () => undefined };
/** What the hub writes above a summary of a branch. */
const HEAD = /^Summary of the branch [^\n]*\n+/;

/** Has the model say what a branch has alone. Its words are a node where the branches part, which is put away: only the text is wanted. */
export async function branchSummary(context: Context, { tree, from, since }: SummarisedBranch): Promise<string> {
  const client = await context.client();
  const { cache, window } = windowPreferences(context);
  // A chat has its own way to stop turns.
  const summarise: Summarise =
    context.chat !== null
      ? (hub, params) => hub.call('agent.compact', params)
      : async (_hub, params) => (await runCompaction(context, params, SILENT)).outcome;
  const outcome = await summarise(client, {
    ...{ id: newTurnId(), tree, node: from, into: since, change: null, instructions: null, cache, window },
    ...{ access: modelAccess(context.preferences), route: modelRoute() },
    usual_model: context.preferences.get('model') || null,
  });
  if (outcome?.state !== 'done') throw failureOf(outcome);
  await client.call('loom.branch_archive', { tree, node: outcome.tip });
  return outcome.text.replace(HEAD, '');
}

function failureOf(outcome: TurnOutcome | null): HubError {
  if (outcome?.failure == null) return new HubError('cancelled', 'the branch was not summarised');
  const { message, data } = outcome.failure;
  return new HubError(data.kind, message, {
    ...(data.hint === null ? {} : { hint: data.hint }),
    retryable: data.retryable,
  });
}
