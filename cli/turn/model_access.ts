import { PROVIDER_RECORDS, type ProviderServer } from '../../hub/base/provider_records.js';
import { environment, wholeEnvironment } from '../../hub/config/config.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';

type Access = NonNullable<ParamsOf<'agent.run'>['access']>;

/** Keys and addresses of models from the environment: sent with a call, and stored nowhere. */
export function modelAccess(): Access {
  const access: Access = {};
  for (const { name, server } of PROVIDER_RECORDS) {
    if (server === null) continue;
    const key = environment(server.keyVariable) ?? null;
    const base_url = addressFor(server);
    if (key !== null || base_url !== null) access[name] = { key, base_url };
  }
  return access;
}

/** The address that the environment names; scheme and port are filled in only where a server takes a host alone. */
function addressFor({ address, addressVariable, takesBareHost }: ProviderServer): string | null {
  const value = environment(addressVariable) ?? null;
  if (value === null || !takesBareHost || /^[a-z][a-z+.-]*:\/\//i.test(value)) return value;
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
