import { HubError } from '../../hub/base/error.js';
import { cliCommand, rpcMethod } from '../../hub/base/hint.js';
import { addressBytes, refusalReason } from './public_address.js';

const URL_UNITS_SHOWN = 300;

/** Parses an address as browsers do; throws for other schemes, and for addresses with a password. */
export function readUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) {
    throw new HubError('invalid_params', `${shownUrl(text)} is no address of a page`, {
      hint: 'it begins with https:// or http://',
    });
  }
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new HubError('invalid_params', `${shownUrl(text)} is neither http nor https`, {
      hint: ['only pages are fetched; files are for ', rpcMethod('file.read')],
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new HubError('invalid_params', `the address of ${url.host} carries a name or a password`, {
      hint: 'leave it out: addresses are kept in the conversation',
    });
  }
  url.hash = '';
  return url;
}

/** The host name or address, without brackets and without a trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** Whether a person has allowed the host by name: all its ports, or this one. */
export function isAllowed(url: URL, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(entry) ?? [];
    if (host === '' || !URL.canParse(`http://${host}/`)) return false;
    return hostOf(new URL(`http://${host}/`)) === hostOf(url) && (port === undefined || Number(port) === portOf(url));
  });
}

/** Throws when any address of the host is not public. */
export function requirePublic(url: URL, addresses: readonly string[], own: readonly string[]): void {
  for (const address of addresses) {
    const reason = refusalReason(address) ?? (isOwn(address, own) ? 'this machine' : null);
    if (reason === null) continue;
    const host = hostOf(url);
    const at = host === address ? address : `${host} is at ${address}, which`;
    throw new HubError('unauthorised', `${at} is not of the public internet: ${reason}`, {
      hint: [
        'a person can allow it by name: ',
        cliCommand('config set', 'http.allow', `${url.hostname}:${portOf(url)}`),
      ],
    });
  }
}

function isOwn(address: string, own: readonly string[]): boolean {
  const bytes = addressBytes(address)?.join('.');
  return own.some((mine) => addressBytes(mine)?.join('.') === bytes);
}

/** An address for messages: short, and without control characters for terminals. */
export function shownUrl(url: string): string {
  const cut = url.length > URL_UNITS_SHOWN ? `${url.slice(0, URL_UNITS_SHOWN)}…` : url;
  return /^[\x21-\x7e…]*$/.test(cut) ? cut : quoted(cut);
}

/** A text of a server's or of a model's, on one line and harmless. */
export function quoted(text: string): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(/[\p{Cc}\p{Bidi_Control}]/gu, escaped);
}
