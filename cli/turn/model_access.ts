import { cloudOf, findProvider, PROVIDER_RECORDS, type ProviderServer } from '../../hub/base/provider_records.js';
import { environment, type Preferences, wholeEnvironment } from '../../hub/config/config.js';
import type { ServerSettings } from '../../hub/config/server_preferences.js';
import type { Access } from '../../hub/protocol/turn.js';

export type ModelAccess = Access;

/** Keys and addresses of models from the environment and from what the person says of servers: sent with a call, and stored nowhere. */
export function modelAccess({ servers }: Pick<Preferences, 'servers'>): ModelAccess {
  const access: ModelAccess = {};
  for (const { name, server } of PROVIDER_RECORDS) {
    if (server === null) continue;
    const settings = servers.get(name);
    const key = firstSet([settings?.keyEnv, ...server.keyVariables]);
    const base_url = addressFor(server) ?? settings?.baseUrl ?? null;
    const cloud = { ...linesOf(settings), ...variablesOf(server) };
    if (key === null && base_url === null && settings === undefined && Object.keys(cloud).length === 0) continue;
    access[name] = { ...entryOf(name, settings ?? null), key, base_url, cloud };
  }
  for (const [name, settings] of servers) {
    if (findProvider(name) !== null) continue;
    const { keyEnv, baseUrl, kind, profile } = settings;
    const { access_key_id, secret_access_key, session_token, ...place } = variablesOf(findProvider(kind ?? '')?.server);
    // A profile that is named for a server is not replaced by the keys of the environment.
    const keys = profile === null ? { access_key_id, secret_access_key, session_token } : {};
    access[name] = {
      ...entryOf(name, settings),
      ...{ key: firstSet([keyEnv]), base_url: baseUrl, kind: kind ?? 'openai' },
      cloud: definedOf({ ...place, ...keys, ...linesOf(settings) }),
    };
  }
  return access;
}

type Cloud = ModelAccess[string]['cloud'];

/** What a person says of where and as whom a cloud is asked. */
function linesOf(settings: ServerSettings | undefined): Cloud {
  const { region, project, profile, credentialsFile } = settings ?? {};
  return definedOf({ region, project, profile, credentials_file: credentialsFile });
}

/** The same from the environment. */
function variablesOf(server: ProviderServer | null | undefined): Cloud {
  const variables = Object.entries(cloudOf({ server: server ?? null })?.variables ?? {});
  return definedOf(Object.fromEntries(variables.map(([field, names]) => [field, firstSet(names)])));
}

function definedOf(cloud: Readonly<Record<string, string | null | undefined>>): Cloud {
  return Object.fromEntries(Object.entries(cloud).filter(([, value]) => value != null));
}

function entryOf(name: string, settings: ServerSettings | null): ModelAccess[string] {
  const { keyCommand = null, keyEnv = null, keyHeader = null } = settings ?? {};
  const { headers = {}, models = [], windows = {}, prices = {} } = settings ?? {};
  return {
    ...{ key: null, base_url: null, kind: null, key_header: keyHeader },
    ...{ key_from: keyCommand === null ? keyEnv : `server.${name}.key_command`, key_pending: keyCommand !== null },
    ...{ cloud: {}, headers: { ...headers }, models: [...models], windows: { ...windows }, prices: { ...prices } },
  };
}

function firstSet(names: readonly (string | null | undefined)[]): string | null {
  return names.map((name) => (name == null ? undefined : environment(name))).find((key) => key !== undefined) ?? null;
}

/** The address that the environment names; scheme and port are filled in only where a server takes a host alone. */
function addressFor({ address, addressVariable, takesBareHost }: ProviderServer): string | null {
  const value = environment(addressVariable) ?? null;
  if (value === null || address === null || !takesBareHost || /^[a-z][a-z+.-]*:\/\//i.test(value)) return value;
  const { protocol, port } = new URL(address);
  const [host = '', ...path] = value.split('/');
  const hostAndPort = /:\d+$/.test(host) ? host : `${host}:${port}`;
  return `${protocol}//${[hostAndPort, ...path].join('/')}`;
}

// The variables that a model's commands may see.
const PASSED_ON = /^(PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TZ)$/;

/** The part of the environment that a model's commands get. */
export function modelEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(wholeEnvironment()).filter(([name]) => PASSED_ON.test(name)));
}
