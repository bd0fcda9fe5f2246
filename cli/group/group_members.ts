import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { SettingsChange } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { type AgentChoice, agentChoice, findAgent, listAgents, requireCarried } from '../turn/outside_agent.js';
import { checkTurn } from '../turn/run_turn.js';
import type { TurnOptions } from '../turn/turn_options.js';

export const MEMBERS_MAX = 8;

/** Who takes part in a group: a model of ours, or an agent of others that only looks. */
export interface GroupMember {
  /** Its name, with a number where it takes part more than once. */
  label: string;
  change: Partial<SettingsChange>;
  agent: AgentChoice | null;
}

/** The members by their names. What nobody could answer as is refused before anything is said. */
export async function groupMembers(
  context: Context,
  options: Pick<TurnOptions, 'access' | 'usual_model' | 'change'>,
  names: readonly string[],
): Promise<GroupMember[]> {
  if (names.length === 0 || names.length > MEMBERS_MAX) {
    throw new HubError('invalid_params', `a group has 1 to ${MEMBERS_MAX} models, not ${names.length}`);
  }
  const client = await context.client();
  return Promise.all(
    names.map(async (name, index) => {
      const times = names.filter((other) => other === name).length;
      const label = times === 1 ? name : `${name} ${names.slice(0, index + 1).filter((one) => one === name).length}`;
      const agent = await agentCalled(client, name);
      if (agent !== null) return { label, change: { level: 'readonly' as const }, agent };
      const change = { ...options.change, model: name, level: 'readonly' as const };
      const { access, usual_model } = options;
      await refuseUnknown(context, { access, usual_model, change });
      return { label, change, agent: null };
    }),
  );
}

/** An agent by its own name, which must be installed; names of models are asked by ourselves. */
async function agentCalled(client: Client, name: string): Promise<AgentChoice | null> {
  const choice = await client.call('outside.choose_agent', { name });
  if (choice.kind === 'deprecated') requireCarried(name, choice);
  if (choice.kind !== 'carried' || (choice.model !== null && !name.startsWith(`${choice.agent}/`))) return null;
  const { agents } = await listAgents(client);
  const agent = agents.find((one) => one.name === choice.agent);
  if (agent?.program != null) return agentChoice(await findAgent(client, name));
  throw new HubError('not_found', `${choice.agent} is not installed here`, {
    hint: `install it: ${agent?.install ?? choice.agent}; or name a model, which is asked with a key of yours, such as sonnet or gpt`,
  });
}

/** A model that cannot be reached now is told when its turn comes: the others go on without it. */
async function refuseUnknown(context: Context, params: Parameters<typeof checkTurn>[1]): Promise<void> {
  try {
    await checkTurn(context, params);
  } catch (error) {
    if (error instanceof HubError && (error.kind === 'invalid_params' || error.kind === 'not_found')) throw error;
  }
}
