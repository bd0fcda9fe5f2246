import { HubError } from '../../base/error.js';
import {
  formatModelName,
  type ModelName,
  PROVIDER_NAMES,
  type ProviderName,
  parseModelName,
} from '../model/model_names.js';

/** The model of a provider that is named alone; null where every person has others. */
export const USUAL_MODELS: Record<ProviderName, string | null> = {
  anthropic: 'sonnet',
  openai: 'gpt',
  ollama: null,
  demo: 'demo',
};

/** The model that a sub-session begins with: that of whoever starts it, unless another provider or model is named. */
export function modelFor(own: ModelName, wanted: string | undefined): string {
  const provider = PROVIDER_NAMES.find((name) => name === wanted?.toLowerCase());
  if (wanted === undefined || provider === own.provider) return formatModelName(own);
  if (provider === undefined) return formatModelName(parseModelName(wanted));
  const usual = USUAL_MODELS[provider];
  if (usual !== null) return formatModelName(parseModelName(usual));
  throw new HubError('invalid_params', `spawn_session was not run: ${provider} has no usual model`, {
    hint: `name one: ${provider}/<model>`,
  });
}
