import type { Handlers } from '../base/plugin.js';
import { needsKey } from '../base/provider_records.js';
import type { ResultOf } from '../protocol/methods/method_table.js';
import type { Access } from '../protocol/turn.js';
import type { AgentParts } from './agent_parts.js';
import { recordsWith } from './model/caller_servers.js';
import { listModels } from './model/list_models.js';
import { ALIAS_NAMES, formatModelName, parseModelName } from './model/model_names.js';
import { checkModel } from './request/check_model.js';

/** The methods by which people see which models there are, and whether one works. */
export function modelMethods(parts: Pick<AgentParts, 'providerFor' | 'timers'>) {
  return {
    'agent.models': async (params, { signal }) => listModels(parts, params, signal),
    'agent.model_check': async (params, { signal }) => checkModel(parts, params, signal),
    'agent.providers': async ({ access }) => providerList(access),
  } satisfies Handlers;
}

function providerList(access: Access): ResultOf<'agent.providers'> {
  return {
    providers: recordsWith(access).map((record) => ({
      name: record.name,
      needs_key: needsKey(record),
      usual_model: record.defaultModel,
    })),
    aliases: ALIAS_NAMES.map((name) => ({ name, model: formatModelName(parseModelName(name)) })),
  };
}
