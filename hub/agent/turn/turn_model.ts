import { HubError } from '../../base/error.js';
import { cliOption } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { Settings } from '../../protocol/node.js';
import type { Access, SettingsChange } from '../../protocol/turn.js';
import type { AgentParts } from '../agent_parts.js';
import { type ModelAtServer, type ModelName, parseModelName } from '../model/model_names.js';
import { loadPriceTable } from '../model/price_table.js';
import type { Provider } from '../model/provider.js';
import { accessTo, modelByKeys } from '../model/provider_access.js';
import { type Account, openAccount } from '../request/request_ledger.js';
import { nextModel } from '../settings/settings.js';
import type { RunningTurn } from './running_turn.js';
import type { RunParams } from './turn_params.js';

export function accountOf(
  { reach, parts, turn }: { reach: InternalCaller; parts: AgentParts; turn: RunningTurn },
  model: ModelAtServer,
): Account {
  return openAccount({
    ...{ turn: turn.id, model, newId: parts.newId, nowMs: parts.timers.nowMs },
    call: (method, row) => callHub(reach, method, row),
    failed: (error) => parts.log('warn', `a request was not accounted for: ${String(error)}`),
  });
}

interface ModelChoice {
  previous: Settings | null;
  change: SettingsChange | null;
  usual: string | null;
  access: Access;
}

/** The model of a turn, and how it is reached. */
export function chooseModel({ previous, change, usual, access }: ModelChoice) {
  const usualModel = usual ?? modelByKeys(access);
  const model = parseModelName(nextModel({ previous, change, usualModel }));
  return { model, usualModel, access: accessTo(model, access) };
}

export function providerOf({ providers }: AgentParts, { provider }: ModelName): Provider {
  const found = providers[provider];
  if (found !== undefined) return found;
  throw new HubError('invalid_params', `this hub has no provider ${provider}`);
}

export async function refuseUnknownPrice(
  { limits }: Pick<RunParams, 'limits'>,
  { model, access }: ReturnType<typeof chooseModel>,
) {
  if (limits.cost_microdollars === null) return;
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  const price = (await loadPriceTable()).cost({ ...model, baseUrl: access.baseUrl }, usage, Date.now());
  if (price !== null) return;
  throw new HubError(
    'invalid_params',
    `the price of ${model.provider}/${model.model} is not known, so no cost can be the limit`,
    {
      hint: ['limit the number of its answers instead: ', cliOption('max-turns', '<number>')],
    },
  );
}
