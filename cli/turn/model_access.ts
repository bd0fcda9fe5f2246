import { PROVIDER_RECORDS, type ProviderServer } from '../../hub/base/provider_records.js';
import { environment, wholeEnvironment } from '../../hub/config/config.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';

type Access = NonNullable<ParamsOf<'agent.run'>['access']>;

/** How this person reaches models, as their environment says it: it is sent along with a call, and kept nowhere. */
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

// Where programs are and how text is written: all of it that a model's commands may know.
const PASSED_ON = /^(PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TZ)$/;

/** What of this person's environment the commands of models get. */
export function modelEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(wholeEnvironment()).filter(([name]) => PASSED_ON.test(name)));
}
