import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { wholeEnvironment } from '../../hub/config/config.js';
import type { Hint } from '../../hub/protocol/errors.js';
import type { ParamsOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { ModelChoice } from '../../hub/protocol/outside_agent.js';
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
    hint: notInstalledHint(name, { install: found?.install ?? agent, model }),
    details: { agent },
  });
}

function notInstalledHint(name: string, { install, model }: { install: string; model: string | null }): Hint {
  if (model === null) return `install it: ${install}`;
  return [`install it: ${install}; or ask the model without it: `, cliCommand('ask', '"task"', '--model', name)];
}

/** Refuses an agent that would act without a question. */
export function requireAsking({ name, abilities }: InstalledAgent): void {
  if (abilities.includes('ask')) return;
  throw new HubError('invalid_params', `${name} cannot ask before it acts, so it does not work at level ask`, {
    hint: 'let it work at level readonly, or at level minimal in the sandbox',
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

export type CarriedModel = Extract<ModelChoice, { kind: 'carried' }>;

/** The agent that a name comes to; a name that comes to none is refused with what to do. */
export function requireCarried(name: string, choice: ModelChoice): CarriedModel {
  if (choice.kind === 'carried') return choice;
  throw refusal(name, choice);
}

function refusal(name: string, choice: Exclude<ModelChoice, CarriedModel>): HubError {
  const details = { choice: choice.kind };
  const own = cliCommand('config set', 'agents.models', `${JSON.stringify(`${name.slice(0, 100)}=<agent>`)}`);
  switch (choice.kind) {
    case 'unknown': {
      const near = choice.near === null ? '' : `did you mean ${choice.near}? otherwise `;
      return new HubError('not_found', `there is no agent and no model ${JSON.stringify(name)}`, {
        hint: [`${near}the agents are listed by: `, cliCommand('agents'), '; add a model with: ', own],
        details,
      });
    }
    case 'not_carried':
      return new HubError('invalid_params', `no agent carries the model ${choice.model}`, {
        hint: [
          'ask it without one: ',
          cliCommand('ask', '"task"', '--model', choice.model),
          '; or say which does: ',
          own,
        ],
        details,
      });
    case 'deprecated':
      return new HubError('invalid_params', `the model ${choice.model} is deprecated`, {
        hint: `take ${choice.instead} instead`,
        details,
      });
  }
}
