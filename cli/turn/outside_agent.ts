import { requireCarried } from '../../hub/base/agent_choice.js';
import { HubError } from '../../hub/base/error.js';
import { wholeEnvironment } from '../../hub/config/config.js';
import type { ParamsOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Context } from '../command_line/command_context.js';
import { modelEnvironment } from './model_access.js';

export type InstalledAgent = ResultOf<'outside.list'>['agents'][number];

/** The parameters of a turn in which an agent answers. */
export type AgentChoice = Pick<ParamsOf<'agent.run'>, 'outside' | 'environment'>;

/** What any program may need of a person's environment to reach the internet. */
const ROUTES = /^(HTTPS?_PROXY|https?_proxy|NO_PROXY|no_proxy|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/;

/** The agents that this machine has. */
export async function listAgents(client: Awaited<ReturnType<Context['client']>>): Promise<ResultOf<'outside.list'>> {
  return client.call('outside.list', { environment: loginEnvironment() });
}

/** An agent that is installed, and the model that it is to ask; null for its own choice. */
export type FoundAgent = InstalledAgent & { program: string; asks: string | null };

/** The agent that a name means: its own, or that of a model; one that is unknown, or not installed, is refused with what to do. */
export async function findAgent(client: Awaited<ReturnType<Context['client']>>, name: string): Promise<FoundAgent> {
  const { agent, model } = requireCarried(name, await client.call('outside.choose_agent', { name }));
  const found = (await listAgents(client)).agents.find((one) => one.name === agent);
  if (found?.program != null) return { ...found, program: found.program, asks: model };
  throw new HubError('not_found', `${agent} is not installed here`, {
    hint: `install it: ${found?.install ?? agent}`,
    details: { agent },
  });
}

/** What an agent gets of a person's environment: where programs are, how the internet is reached, and its own keys. */
export function agentEnvironment({ variables }: Pick<InstalledAgent, 'variables'>): Record<string, string> {
  const named = Object.entries(wholeEnvironment()).filter(([name]) => variables.includes(name) || ROUTES.test(name));
  return { ...modelEnvironment(), ...Object.fromEntries(named.filter(([, value]) => value !== '')) };
}

export function agentChoice(
  agent: FoundAgent,
  details: Omit<NonNullable<ParamsOf<'agent.run'>['outside']>, 'agent'> = {},
): AgentChoice {
  const outside = { ...details, agent: agent.name, model: details.model ?? agent.asks };
  return { outside, environment: agentEnvironment(agent) };
}

/** The names of what may log an agent in, without what they say. */
function loginEnvironment(): Record<string, string> {
  const set = Object.entries(wholeEnvironment()).filter(([name, value]) => value !== '' && /_(KEY|TOKEN)$/.test(name));
  return { ...modelEnvironment(), ...Object.fromEntries(set.map(([name]) => [name, 'set'])) };
}
