import { nearest } from '../../../hub/base/nearest_word.js';
import { findProvider, PROVIDER_RECORDS } from '../../../hub/base/provider_records.js';
import { AgentModel, AgentName, type ModelChoice } from '../../../hub/protocol/outside_agent.js';
import { CARRIED_MODELS, DEPRECATED_MODELS, MODELS_WITHOUT_AGENT } from './model_table.js';
import type { OwnModel } from './own_models.js';

/** What names are looked up in: the agents that there are, and the person's own lines, which count before the table. */
export interface ChoiceSource {
  agents: readonly string[];
  own: readonly OwnModel[];
}

/** Which agent a name means: its own, that of a model that it carries, or `agent/model`. */
export function chooseAgent(name: string, { agents, own }: ChoiceSource): ModelChoice {
  const agent = agents.find((one) => one === name);
  if (agent !== undefined) return carried(agent, null);
  const line = own.find(({ model }) => model === name);
  if (line !== undefined && agents.includes(line.agent)) return carried(line.agent, line.asks);
  const model = modelOf(name);
  const carrier = Object.keys(CARRIED_MODELS).find((one) => CARRIED_MODELS[one]?.includes(model));
  if (carrier !== undefined && agents.includes(carrier)) return carried(carrier, model);
  const instead = replacementOf(model);
  if (instead !== null) return { kind: 'deprecated', model, instead };
  return (
    ofTwoParts(name, agents) ?? withoutAgent(name, model) ?? { kind: 'unknown', near: nearName(name, agents, own) }
  );
}

/** `opencode/anthropic/claude-opus-5`: an agent that is no provider, and the model that it is to ask. */
function ofTwoParts(name: string, agents: readonly string[]): ModelChoice | null {
  const slash = name.indexOf('/');
  const agent = name.slice(0, slash);
  if (slash < 1 || !agents.includes(agent) || findProvider(agent) !== null) return null;
  return AgentModel.safeParse(name.slice(slash + 1)).success ? carried(agent, name.slice(slash + 1)) : null;
}

function withoutAgent(name: string, model: string): ModelChoice | null {
  const isOurs = isOfProvider(name) || model !== name;
  return isOurs || MODELS_WITHOUT_AGENT.includes(model) ? { kind: 'not_carried', model: name, is_ours: isOurs } : null;
}

function carried(agent: string, model: string | null): ModelChoice {
  return {
    ...{ kind: 'carried', agent: AgentName.parse(agent) },
    model: model === null ? null : AgentModel.parse(model),
  };
}

/** The model of a short name; other names stay as they are. */
function modelOf(name: string): string {
  const short = name.toLowerCase();
  const models = PROVIDER_RECORDS.flatMap(({ aliases }) =>
    Object.hasOwn(aliases, short) ? (aliases[short] ?? []) : [],
  );
  return models.at(0) ?? name;
}

/** Whether a name says whose model it is: `ollama/qwen`, or the demo. */
function isOfProvider(name: string): boolean {
  const slash = name.indexOf('/');
  return name === 'demo' || (slash > 0 && slash < name.length - 1 && findProvider(name.slice(0, slash)) !== null);
}

/** A date or `-latest` after the name is the same model. */
function replacementOf(model: string): string | null {
  const plain = model.replace(/-(latest|\d{8})$/, '');
  return Object.hasOwn(DEPRECATED_MODELS, plain) ? (DEPRECATED_MODELS[plain] ?? null) : null;
}

function nearName(name: string, agents: readonly string[], own: readonly OwnModel[]): string | null {
  const short = PROVIDER_RECORDS.flatMap(({ aliases }) => Object.keys(aliases));
  const models = [...Object.values(CARRIED_MODELS).flat(), ...own.map(({ model }) => model)];
  return nearest(name, [...agents, ...short, ...models]);
}
