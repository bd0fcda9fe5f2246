import { HubError } from '../../base/error.js';

/** Where providers are reached when nothing else is said. */
export const OWN_ADDRESSES = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
  ollama: 'http://127.0.0.1:11434',
} as const;

/** The address to use, checked: what the person gave, else the provider's own. */
export function serverAddress(given: string | null, own: string): URL {
  const text = given ?? own;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const shown = withoutSecrets(text);
    throw new HubError('invalid_params', `the base URL of a model server starts with http:// or https://: ${shown}`, {
      hint: `give it like ${own}`,
    });
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

/** An address that can be shown: what stands before an @ and after a ? is often a secret. */
function withoutSecrets(address: string): string {
  return address.replace(/[?#].*$/s, '').replace(/^(.*\/\/)?.*@/s, '$1');
}

/** A key that can be sent; a stray line end is taken off. */
export function usableKey(key: string, provider: string): string {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new HubError('no_key', `what was given as the key for ${provider} is no key`, {
    hint: 'a key is one word of plain letters, digits and signs; set it again',
  });
}
