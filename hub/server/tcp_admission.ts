import type { IncomingHttpHeaders } from 'node:http';
import type { ListenAddress } from '../home/socket_path.js';
import { isSameToken } from '../home/tcp_token.js';

/** What a caller over TCP must present. A caller over the socket is the owner, because nobody else can open it. */
export interface TcpRules {
  /** With the port that was bound. */
  address: ListenAddress;
  token: string;
}

export interface Refusal {
  status: 401 | 403 | 426 | 503;
  reason: string;
  /** Tells the caller to treat the hub as absent. */
  isEnding?: true;
}

/** Why a caller is refused, by its headers alone; null when it is admitted. */
export function refusedUpgrade(headers: IncomingHttpHeaders, rules: TcpRules | null): Refusal | null {
  // Only browsers send this header, and no web page may call the hub.
  if (headers.origin !== undefined) return { status: 403, reason: 'browsers are not served' };
  if (rules === null) return null;
  // Prevents DNS rebinding: another name that resolves to this machine is refused.
  if (!hostNames(rules.address).has(headers.host?.toLowerCase() ?? '')) return { status: 403, reason: 'wrong host' };
  const given = /^Bearer ([\w-]{1,100})$/.exec(headers.authorization ?? '')?.[1];
  if (given === undefined || !isSameToken(given, rules.token)) return { status: 401, reason: 'a token is needed' };
  return null;
}

function hostNames({ host, port }: ListenAddress): ReadonlySet<string> {
  const own = host.includes(':') ? `[${host}]` : host;
  return new Set([own, 'localhost', '127.0.0.1', '[::1]'].map((name) => `${name}:${port}`));
}
