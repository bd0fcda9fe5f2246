import { PROVIDER_RECORDS, providerRecord } from '../../base/provider_records.js';
import type { Access } from '../../protocol/turn.js';
import type { ModelName } from './model_names.js';
import { serverAccess } from './server_access.js';

/** How a model is reached with what the caller has; refused before anything is begun when that cannot work. */
export function accessTo({ provider }: ModelName, access: Access): { baseUrl: string | null; key: string | null } {
  const { server } = providerRecord(provider);
  const given = { baseUrl: access[provider]?.base_url ?? null, key: access[provider]?.key ?? null };
  if (server !== null) serverAccess(provider, server, given);
  return given;
}

/** The model to take when nothing says one: of the first provider whose key is there. */
export function modelByKeys(access: Access): string | null {
  const usable = PROVIDER_RECORDS.find(({ name, defaultModel, server }) => {
    return server !== null && defaultModel !== null && access[name]?.key != null;
  });
  return usable?.defaultModel ?? null;
}
