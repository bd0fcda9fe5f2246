import type { IncomingHttpHeaders } from 'node:http';
import type { ListenAddress } from '../home/socket_path.js';
import { isSameToken } from '../home/tcp_token.js';

/** What a caller over TCP must show. A caller over the socket has shown by reaching it that it is the owner. */
export interface TcpRules {
  /** As bound: the port is the real one. */
  address: ListenAddress;
  token: string;
}

export interface Refusal {
  status: 401 | 403 | 426 | 503;
  reason: string;
}

/** Decides from its headers alone whether a caller may in; null means yes. */
export function refusedUpgrade(headers: IncomingHttpHeaders, rules: TcpRules | null): Refusal | null {
  // Only browsers send it, and no page of theirs has any business here.
  if (headers.origin !== undefined) return { status: 403, reason: 'browsers are not served' };
  if (rules === null) return null;
  // A name that was made to point at this machine must not pass for it.
  if (!hostNames(rules.address).has(headers.host?.toLowerCase() ?? '')) return { status: 403, reason: 'wrong host' };
  const given = /^Bearer ([\w-]{1,100})$/.exec(headers.authorization ?? '')?.[1];
  if (given === undefined || !isSameToken(given, rules.token)) return { status: 401, reason: 'a token is needed' };
  return null;
}

function hostNames({ host, port }: ListenAddress): ReadonlySet<string> {
  const own = host.includes(':') ? `[${host}]` : host;
  return new Set([own, 'localhost', '127.0.0.1', '[::1]'].map((name) => `${name}:${port}`));
}
