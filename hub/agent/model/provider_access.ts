import { HubError } from '../../base/error.js';
import type { Access } from '../../protocol/turn.js';
import type { ModelName, ProviderName } from './model_names.js';
import { OWN_ADDRESSES, serverAddress, usableKey } from './server_address.js';

/** The variable that a person sets, and whether a server of their own does without. */
const KEYS: Record<ProviderName, { variable: string | null; optionalElsewhere: boolean }> = {
  anthropic: { variable: 'ANTHROPIC_API_KEY', optionalElsewhere: false },
  openai: { variable: 'OPENAI_API_KEY', optionalElsewhere: true },
  ollama: { variable: null, optionalElsewhere: true },
  demo: { variable: null, optionalElsewhere: true },
};

export function needsKey(provider: ProviderName): boolean {
  return KEYS[provider].variable !== null;
}

/** How a model is reached with what the caller has; refused before anything is begun when that cannot work. */
export function accessTo({ provider }: ModelName, access: Access): { baseUrl: string | null; key: string | null } {
  const given = access[provider];
  const baseUrl = given?.base_url ?? null;
  const key = given?.key ?? null;
  const { variable, optionalElsewhere } = KEYS[provider];
  if (provider !== 'demo' && baseUrl !== null) serverAddress(baseUrl, OWN_ADDRESSES[provider]);
  if (key !== null) usableKey(key, provider);
  if (key !== null || variable === null || (optionalElsewhere && baseUrl !== null)) return { baseUrl, key };
  throw new HubError('no_key', `there is no key for ${provider}`, {
    hint: `set ${variable}, or choose another model: --model demo needs no key`,
    details: { provider },
  });
}

/** The model to take when nothing says one: of a provider whose key is there. */
export function modelByKeys(access: Access): string | null {
  if (access.anthropic?.key != null) return 'sonnet';
  return access.openai?.key != null ? 'gpt' : null;
}
