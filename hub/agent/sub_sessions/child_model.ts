import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { findProvider, type ProviderRecord } from '../../base/provider_records.js';
import type { AgentName, RoleName } from '../../protocol/outside_agent.js';
import { OutsideWork } from '../../protocol/outside_agent.js';
import type { Policy } from '../../protocol/policy.js';
import { formatModelName, type ModelName, parseModelName } from '../model/model_names.js';

/** The model that a sub-session begins with: that of whoever starts it, unless another provider or model is named. */
export function modelFor(
  own: ModelName,
  wanted: string | undefined,
  { records, tool }: { records: readonly ProviderRecord[]; tool: string },
): string {
  const provider = wanted === undefined ? null : findProvider(wanted, records);
  if (wanted === undefined || provider?.name === own.provider) return formatModelName(own);
  if (provider === null) return formatModelName(parseModelName(wanted, records));
  if (provider.defaultModel !== null) return formatModelName(parseModelName(provider.defaultModel, records));
  throw new HubError('invalid_params', `${tool} was not run: ${provider.name} has no usual model`, {
    hint: `name one: ${provider.name}/<model>`,
  });
}

/** The outside agent that is named in the place of a provider; null for a provider or a model of ours. It reaches its model over a network that commands share. */
export async function outsideFor(
  reach: InternalCaller,
  { provider: wanted, role = null }: { provider?: string | undefined; role?: RoleName | null | undefined },
  { records, policy, tool }: { records: readonly ProviderRecord[]; policy: Policy; tool: string },
): Promise<OutsideWork | null> {
  if (wanted === undefined || findProvider(wanted.replace(/\/.*/s, ''), records) !== null) return null;
  const choice = await callHub(reach, 'outside.choose_agent', { name: wanted });
  // A model by its name alone is asked by ourselves: the path, the policy and the key are those of the turn.
  if (choice.kind !== 'carried' || !isAgentName(wanted, choice.agent)) return null;
  if (policy.kind === 'open' || policy.network) {
    return OutsideWork.parse({ agent: choice.agent, model: choice.model, role });
  }
  throw new HubError('invalid_params', `${tool} was not run: ${choice.agent} has the network, and you have not`, {
    hint: 'the person grants it',
  });
}

function isAgentName(wanted: string, agent: AgentName): boolean {
  return wanted === agent || wanted.startsWith(`${agent}/`);
}
