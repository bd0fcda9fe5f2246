import type { IncomingMessage } from 'node:http';

/** What a browser says of a request, which no page can make it say otherwise. */
export type Asking = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>;

/** Why a request is turned away. */
export interface Turnaway {
  status: 400 | 401 | 403 | 404 | 405 | 411 | 413 | 415;
  reason: string;
}

export const BODY_BYTES_MAX = 1_024;

/** Refuses what did not come from the person's address bar or from our own page. */
export function refuseReading(request: Asking, port: number): Turnaway | null {
  const { headers, url } = request;
  const misplaced = refuseHost(request, port);
  if (misplaced !== null) return misplaced;
  if (request.method !== 'GET') return { status: 405, reason: 'only GET is known here' };
  if (headers.origin !== undefined && !isOurOrigin(request, port)) return strangeOrigin;
  const isPage = url === '/';
  const site = headers['sec-fetch-site'];
  if (!(site === undefined || site === 'same-origin' || (isPage && site === 'none'))) return strangeSite;
  const destination = headers['sec-fetch-dest'];
  if (isPage && destination !== undefined && destination !== 'document') return framed;
  return null;
}

/** Refuses what our own page did not send as a small piece of JSON. */
export function refusePosting(request: Asking, port: number): Turnaway | null {
  const { headers } = request;
  const misplaced = refuseHost(request, port) ?? refuseForeign(request, port);
  if (misplaced !== null) return misplaced;
  if (request.method !== 'POST') return { status: 405, reason: 'only POST is known here' };
  if (headers['content-type'] !== 'application/json') return { status: 415, reason: 'the body must be JSON' };
  if (headers['transfer-encoding'] !== undefined || !/^\d{1,9}$/.test(headers['content-length'] ?? ''))
    return { status: 411, reason: 'the length of the body must be told' };
  if (Number(headers['content-length']) > BODY_BYTES_MAX) return { status: 413, reason: 'the body is too large' };
  return null;
}

/** The key with which a page opens its socket, when it is our page that opens it. */
export function keyOfUpgrade(request: Asking, port: number): { key: string } | Turnaway {
  const { headers, url, method } = request;
  const misplaced = refuseHost(request, port) ?? refuseForeign(request, port);
  if (misplaced !== null) return misplaced;
  if (url !== '/hub') return { status: 404, reason: 'there is nothing here' };
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return { status: 400, reason: 'no socket' };
  const [, key] = /^cognition\.v1, ?key\.([\w-]{43})$/.exec(headers['sec-websocket-protocol'] ?? '') ?? [];
  return key === undefined ? { status: 401, reason: 'the key is missing' } : { key };
}

const strangeOrigin: Turnaway = { status: 403, reason: 'this comes from another page' };
const strangeSite: Turnaway = { status: 403, reason: 'this was asked for by another page' };
const framed: Turnaway = { status: 403, reason: 'this page is not shown inside another' };

/** A name that leads here may be anybody's: only the literal address is answered, and only once per request. */
function refuseHost(request: Asking, port: number): Turnaway | null {
  const isOurs = request.headers.host === `127.0.0.1:${port}` && timesSent(request, 'host') === 1;
  return isOurs ? null : { status: 403, reason: 'this address is not the one that was printed' };
}

function refuseForeign(request: Asking, port: number): Turnaway | null {
  if (!isOurOrigin(request, port)) return strangeOrigin;
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' ? null : strangeSite;
}

function isOurOrigin(request: Asking, port: number): boolean {
  return request.headers.origin === `http://127.0.0.1:${port}` && timesSent(request, 'origin') === 1;
}

/** Node keeps the first of several headers of a name and says nothing of the others. */
function timesSent({ rawHeaders }: Asking, name: string): number {
  return rawHeaders.filter((word, index) => index % 2 === 0 && word.toLowerCase() === name).length;
}
