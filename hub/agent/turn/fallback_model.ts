import type { HubError } from '../../base/error.js';
import { SettingsChange } from '../../protocol/turn.js';
import { openRoom } from '../compaction/window_room.js';
import { formatModelName } from '../model/model_names.js';
import { windowOf } from '../model/model_window.js';
import { bindingOf } from '../request/prompt.js';
import type { SettingsParams, StoredSettings } from '../settings/settings.js';
import { accountOf, chooseModel, modelTarget, refuseUnknownPrice } from './turn_model.js';
import type { RunParams } from './turn_params.js';
import type { ModelWork, TurnWork } from './turn_work.js';

/** Stores settings of a turn. */
type Store = (params: SettingsParams) => Promise<StoredSettings>;

/** How a turn goes on with the model that is asked where its own is overloaded; null for none. What cannot work is refused at once. */
export async function fallbackFor(
  { reach, parts, turn }: Parameters<typeof accountOf>[0],
  params: RunParams,
  { given, store }: { given: SettingsParams; store: Store },
): Promise<((previous: StoredSettings) => Promise<ModelWork>) | null> {
  if (params.fallback === null) return null;
  const change = SettingsChange.parse({ model: params.fallback });
  const chosen = chooseModel({ previous: null, change, usual: null, access: params.access });
  await refuseUnknownPrice(params, chosen);
  return async ({ settings: previous }) => {
    const reached = modelTarget(parts, chosen, params);
    return {
      ...reached,
      settings: await store({ ...given, previous, change }),
      room: openRoom(params.compact, () => windowOf(reached, turn.signal)),
      account: accountOf({ reach, parts, turn }, chosen.model),
    };
  };
}

/** Goes on with the fallback model behind a failure that it may help against; false where there is none. */
export async function takeFallback(work: TurnWork, failure: HubError | null): Promise<boolean> {
  const { turn, fallback, settings } = work;
  if (failure?.kind !== 'overloaded' || fallback === null || turn.signal.aborted) return false;
  work.fallback = null;
  const other = await fallback(settings);
  const model = formatModelName(other.model);
  if (model === turn.model) return false;
  Object.assign(work, other);
  work.bindings.set(other.settings.sha256, bindingOf(other.settings.settings));
  turn.emit({ kind: 'model_replaced', turn: turn.id, from: turn.model, model, message: failure.message });
  turn.model = model;
  return true;
}
