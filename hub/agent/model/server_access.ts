import { HubError } from '../../base/error.js';
import { cliOption } from '../../base/hint.js';
import type { ProviderServer } from '../../base/provider_records.js';

const NO_KEY = 'no-key';

/** How a server of models is reached: checked, and with nothing left to be filled in. */
export interface ServerAccess {
  address: URL;
  /** Where a server does without one, a word instead: the SDKs want a key. */
  key: string;
}

/** What the person gave, checked; else the provider's own address. */
export function serverAccess(
  provider: string,
  server: ProviderServer,
  given: { baseUrl: string | null; key: string | null },
): ServerAccess {
  const address = serverAddress(given.baseUrl, server.address);
  if (given.key !== null) return { address, key: usableKey(given.key, provider) };
  if (server.needsKey === 'never' || (server.needsKey === 'at_own_address' && given.baseUrl !== null)) {
    return { address, key: NO_KEY };
  }
  throw new HubError('no_key', `there is no key for ${provider}`, {
    hint: [`set ${server.keyVariable}, or choose another model: `, cliOption('model', 'demo'), ' needs no key'],
    details: { provider, visible: false },
  });
}

/** The address to use, checked: what the person gave, else the provider's own. */
export function serverAddress(chosen: string | null, own: string): URL {
  const text = chosen ?? own;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const printable = withoutSecrets(text);
    throw new HubError(
      'invalid_params',
      `the base URL of a model server starts with http:// or https://: ${printable}`,
      { hint: `give it like ${own}` },
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
