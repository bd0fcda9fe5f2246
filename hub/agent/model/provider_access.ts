import { type ProviderRecord, providerRecord } from '../../base/provider_records.js';
import type { Access } from '../../protocol/turn.js';
import { recordsWith } from './caller_servers.js';
import type { ModelAtServer, ModelName } from './model_names.js';
import type { GivenAccess } from './provider.js';
import { serverAccess } from './server_access.js';

/** How a model is reached with what the caller has; refused before anything is begun when that cannot work. */
export function accessTo(name: ModelName, access: Access): GivenAccess {
  const { server } = providerRecord(name.provider, recordsWith(access));
  const given = accessGiven(name, access);
  if (server !== null) serverAccess(name.provider, server, given);
  return given;
}

/** The same, whether that can work or not. */
export function accessGiven({ provider }: ModelName, access: Access): GivenAccess {
  const { base_url = null, key = null, key_header = null, headers = {}, cloud = {} } = access[provider] ?? {};
  return { baseUrl: base_url, key, keyHeader: key_header, headers, cloud };
}

/** What a caller has, as if it had the keys that it can get. */
export function withPendingKeys(access: Access): Access {
  const entries = Object.entries(access);
  return Object.fromEntries(
    entries.map(([name, entry]) => [name, isPending(entry) ? { ...entry, key: 'pending' } : entry]),
  );
}

/** Whether a key is still to be got. */
export function isPending(entry: Access[string] | undefined): boolean {
  return entry?.key_pending === true && entry.key === null;
}

/** A model where the caller reaches it. */
export function modelAt({ provider, model }: ModelName, access: Access): ModelAtServer {
  const { base_url = null, windows = {}, prices = {} } = access[provider] ?? {};
  const record = providerRecord(provider, recordsWith(access));
  return { provider, model, record, baseUrl: base_url, stated: { windows, prices } };
}

/** The model to take when nothing says one: of the first provider whose key is there. */
export function modelByKeys(access: Access, records: readonly ProviderRecord[]): string | null {
  const usable = records.find(({ name, defaultModel, server }) => {
    return (
      server !== null && defaultModel !== null && (access[name]?.key != null || access[name]?.key_pending === true)
    );
  });
  return usable?.defaultModel ?? null;
}
