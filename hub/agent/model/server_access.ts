import { HubError } from '../../base/error.js';
import { cliOption } from '../../base/hint.js';
import { cloudOf, type ProviderServer } from '../../base/provider_records.js';
import type { GivenAccess } from './provider.js';

const NO_KEY = 'no-key';
/** Shorter texts stand in too much of what is said. */
const SECRET_LENGTH_MIN = 6;

/** How a server of models is reached: checked, and with nothing left to be filled in. */
export interface ServerAccess {
  address: URL;
  /** Where a server does without one, a word instead: the SDKs want a key. */
  key: string;
  /** What goes along with each request, the key among it. */
  headers: Readonly<Record<string, string>>;
  /** What no message may repeat. */
  secrets: readonly string[];
}

/** What the person gave, checked; else the provider's own address. */
export function serverAccess(provider: string, server: ProviderServer, given: GivenAccess): ServerAccess {
  const text = given.baseUrl ?? server.address ?? cloudAddress(server, given);
  if (text === null) {
    throw new HubError('invalid_params', `the address of ${provider} is not known`, {
      hint: `set ${server.addressVariable} to it`,
    });
  }
  const address = serverAddress(text, server.address ?? 'https://…');
  const key = given.key === null ? keyless(provider, server, given) : usableKey(given.key, provider);
  const name = (given.keyHeader ?? server.keyHeader).toLowerCase();
  return {
    ...{ address, key },
    headers: { ...given.headers, [name]: name === 'authorization' ? `Bearer ${key}` : key },
    secrets: [key, ...[...Object.values(given.headers), ...secretsOf(given.cloud)].filter(isLongEnough)],
  };
}

function secretsOf({ access_key_id = '', secret_access_key = '', session_token = '' }: GivenAccess['cloud']): string[] {
  return [access_key_id, secret_access_key, session_token];
}

function isLongEnough({ length }: string): boolean {
  return length >= SECRET_LENGTH_MIN;
}

/** The address of a cloud in the region that is named; null for other servers. */
function cloudAddress(server: ProviderServer, { cloud: { region } }: GivenAccess): string | null {
  const cloud = cloudOf({ server });
  if (cloud === null) return null;
  if (region === undefined || /^[a-z\d-]{2,50}$/.test(region)) return cloud.address(region ?? cloud.regionDefault);
  throw new HubError('invalid_params', `${JSON.stringify(region)} is no region of ${cloud.name}`, {
    hint: `set ${cloud.variables.region?.[0]} to one such as ${cloud.regionDefault}`,
  });
}

/** The word instead of a key, where a server does without. */
function keyless(provider: string, server: ProviderServer, { baseUrl }: GivenAccess): string {
  const isElsewhere = server.needsKey === 'at_own_address' && !isOwnAddress(server, baseUrl);
  if (server.needsKey === 'never' || server.needsKey === 'by_sdk' || isElsewhere) return NO_KEY;
  throw new HubError('no_key', `there is no key for ${provider}`, {
    hint: [`set ${server.keyVariable}, or choose another model: `, cliOption('model', 'demo'), ' needs no key'],
    details: { provider, visible: false },
  });
}

/** Whether an address is the provider's own, however it is written. */
export function isOwnAddress(server: ProviderServer, baseUrl: string | null): boolean {
  const { address } = server;
  const cloud = cloudOf({ server });
  if (cloud !== null && baseUrl !== null && URL.canParse(baseUrl)) return cloud.hosts.test(new URL(baseUrl).hostname);
  return baseUrl === null || (address !== null && bareAddress(baseUrl) === bareAddress(address));
}

/** An address without what makes no difference: a final dot or slash, the usual port, the version, the name of a method. */
function bareAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, pathname } = new URL(text);
  const path = pathname.replace(/\/+$/, '').replace(/\/(responses|chat\/completions|messages)$/, '');
  return `${protocol}//${hostname.replace(/\.$/, '')}:${port}${path.replace(/\/v1$/, '')}`;
}

/** The address to use, checked. */
export function serverAddress(text: string, example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const printable = withoutSecrets(text);
    throw new HubError(
      'invalid_params',
      `the base URL of a model server starts with http:// or https://: ${printable}`,
      { hint: `give it like ${example}` },
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new HubError('invalid_params', `the base URL for ${url.origin} has a password in it`, {
      hint: 'give the address without it, and the password as the key',
    });
  }
  if (url.search !== '' || url.hash !== '') {
    throw new HubError('invalid_params', `the base URL ${withoutSecrets(text)} goes on with a question or a mark`, {
      hint: 'paths are added to it: give the address without what begins with ? or #',
    });
  }
  return url;
}

/** An address that can be printed: what stands before an @ and after a ? is often a secret. */
function withoutSecrets(address: string): string {
  return address.replace(/[?#].*$/s, '').replace(/^(.*\/\/)?.*@/s, '$1');
}

/** A key that can be sent, without surrounding white space. */
function usableKey(key: string, provider: string): string {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new HubError('no_key', `what was given as the key for ${provider} is no key`, {
    hint: 'a key is one word of plain letters, digits and signs; set it again',
  });
}
