import { HubError } from '../../base/error.js';
import { findProvider } from '../../base/provider_records.js';
import { formatModelName, type ModelName, parseModelName } from '../model/model_names.js';

/** The model that a sub-session begins with: that of whoever starts it, unless another provider or model is named. */
export function modelFor(own: ModelName, wanted: string | undefined): string {
  const provider = wanted === undefined ? null : findProvider(wanted);
  if (wanted === undefined || provider?.name === own.provider) return formatModelName(own);
  if (provider === null) return formatModelName(parseModelName(wanted));
  if (provider.defaultModel !== null) return formatModelName(parseModelName(provider.defaultModel));
  throw new HubError('invalid_params', `spawn_session was not run: ${provider.name} has no usual model`, {
    hint: `name one: ${provider.name}/<model>`,
  });
}
