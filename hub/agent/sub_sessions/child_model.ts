import { HubError } from '../../base/error.js';
import { findProvider, type ProviderRecord } from '../../base/provider_records.js';
import { AGENT_NAMES, AgentName } from '../../protocol/outside_agent.js';
import type { Policy } from '../../protocol/policy.js';
import { OutsideWork } from '../../protocol/turn.js';
import { formatModelName, type ModelName, parseModelName } from '../model/model_names.js';

/** The model that a sub-session begins with: that of whoever starts it, unless another provider or model is named. */
export function modelFor(own: ModelName, wanted: string | undefined, records: readonly ProviderRecord[]): string {
  const provider = wanted === undefined ? null : findProvider(wanted, records);
  if (wanted === undefined || provider?.name === own.provider) return formatModelName(own);
  if (provider === null) return formatModelName(parseModelName(wanted, records));
  if (provider.defaultModel !== null) return formatModelName(parseModelName(provider.defaultModel, records));
  throw new HubError('invalid_params', `spawn_session was not run: ${provider.name} has no usual model`, {
    hint: `name one: ${provider.name}/<model>`,
  });
}

/** The outside agent that is named in the place of a provider; null for a provider or a model. It reaches its model over a network that commands share. */
export function outsideFor(
  wanted: string | undefined,
  records: readonly ProviderRecord[],
  policy: Policy,
): OutsideWork | null {
  const agent = AGENT_NAMES.find((name) => name === wanted);
  if (agent === undefined || findProvider(agent, records) !== null) return null;
  if (policy.kind === 'open' || policy.network) return OutsideWork.parse({ agent: AgentName.parse(agent) });
  throw new HubError('invalid_params', `spawn_session was not run: ${agent} has the network, and you have not`, {
    hint: 'the person grants it',
  });
}
