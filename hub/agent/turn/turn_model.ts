import { HubError } from '../../base/error.js';
import { cliOption } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { Settings } from '../../protocol/node.js';
import type { Access, SettingsChange } from '../../protocol/turn.js';
import type { AgentParts } from '../agent_parts.js';
import { recordsWith } from '../model/caller_servers.js';
import { formatModelName, type ModelAtServer, parseModelName } from '../model/model_names.js';
import { loadPriceTable, statedWindow } from '../model/price_table.js';
import { accessTo, modelAt, modelByKeys } from '../model/provider_access.js';
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
  const records = recordsWith(access);
  const usualModel = usual ?? modelByKeys(access, records);
  const name = parseModelName(nextModel({ previous, change, usualModel, records }), records);
  return { model: modelAt(name, access), usualModel, records, access: accessTo(name, access) };
}

/** A chosen model as a turn asks it. */
export function modelTarget(
  { providerFor }: Pick<AgentParts, 'providerFor'>,
  { model, access }: Pick<ReturnType<typeof chooseModel>, 'model' | 'access'>,
  { window, route }: Pick<RunParams, 'window' | 'route'>,
) {
  return {
    model,
    provider: providerFor(model.record),
    access: { ...access, statedWindow: statedWindow(model, window), route },
  };
}

export async function refuseUnknownPrice(
  { limits }: Pick<RunParams, 'limits'>,
  { model }: Pick<ReturnType<typeof chooseModel>, 'model'>,
) {
  if (limits.cost_microdollars === null) return;
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  const price = (await loadPriceTable()).cost(model, usage, Date.now());
  if (price !== null) return;
  throw new HubError(
    'invalid_params',
    `the price of ${formatModelName(model)} is not known, so no cost can be the limit`,
    {
      hint: ['limit the number of its answers instead: ', cliOption('max-turns', '<number>')],
    },
  );
}
