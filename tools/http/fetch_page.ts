import { isIP, type Socket } from 'node:net';
import { raceAbort } from '../../hub/base/abort.js';
import { HubError } from '../../hub/base/error.js';
import { networkError } from './http_errors.js';
import { exchange, type HttpAnswer, isRedirect } from './http_exchange.js';
import type { Network } from './network.js';
import { hostOf, isAllowed, portOf, readUrl, requirePublic, shownUrl } from './url_rules.js';

const REDIRECTS_MAX = 10;
/** Addresses are stored in handles. */
const ADDRESS_UNITS_MAX = 8_192;
const ADDRESSES_TRIED_MAX = 4;
/** The limit for one address of several. */
const CONNECT_MS_MAX = 10_000;

export interface FetchRequest {
  url: string;
  timeoutMs: number;
  bytesMax: number;
  /** Hosts that may be reached although their addresses are private. */
  allowed: readonly string[];
  agent: string;
  signal: AbortSignal;
}

export interface FetchedPage extends HttpAnswer {
  /** The final address. */
  url: URL;
  redirects: string[];
}

/** Fetches a page. Each address on the way is looked up once, checked, and connected to as it was checked. */
export async function fetchPage(network: Network, request: FetchRequest): Promise<FetchedPage> {
  const deadline = AbortSignal.timeout(request.timeoutMs);
  const signal = AbortSignal.any([request.signal, deadline]);
  try {
    return await follow(network, { ...request, signal });
  } catch (error) {
    if (request.signal.aborted) {
      throw new HubError('cancelled', `fetching ${shownUrl(request.url)} was cancelled`, { cause: error });
    }
    if (!deadline.aborted) throw networkError(error, shownUrl(request.url));
    throw new HubError(
      'network',
      `${shownUrl(request.url)}: it did not answer in full within ${request.timeoutMs} ms`,
      {
        hint: 'try again, or give it more time with timeout_ms',
        cause: error,
        retryable: true,
      },
    );
  }
}

async function follow(network: Network, request: FetchRequest): Promise<FetchedPage> {
  const redirects: string[] = [];
  let url = readUrl(request.url);
  for (;;) {
    const answer = await fetchOne(network, url, request);
    const { location } = answer.headers;
    if (!isRedirect(answer.status) || location === undefined) return { ...answer, url, redirects };
    if (redirects.length >= REDIRECTS_MAX) throw tooMany(request.url);
    url = nextUrl(location, url);
    redirects.push(url.href);
  }
}

/** Where a redirect leads: to http or https, and never from a secure page to one that is not. */
function nextUrl(location: string, from: URL): URL {
  const url = readUrl(location, from);
  if (url.href.length > ADDRESS_UNITS_MAX) {
    throw new HubError('limit', `${shownUrl(from.href)} sends to an address of ${url.href.length} characters`, {
      hint: `at most ${ADDRESS_UNITS_MAX} are followed`,
    });
  }
  if (from.protocol === 'http:' || url.protocol === 'https:') return url;
  throw new HubError('network', `${shownUrl(from.href)} sends to ${shownUrl(url.href)}, which is not secure`, {
    hint: 'fetch that address itself, if it is meant',
  });
}

async function fetchOne(network: Network, url: URL, request: FetchRequest): Promise<HttpAnswer> {
  const socket = await connectTo(network, url, request);
  try {
    return await exchange({ url, socket, agent: request.agent, bytesMax: request.bytesMax, signal: request.signal });
  } catch (error) {
    throw networkError(error, shownUrl(url.href));
  } finally {
    socket.destroy();
  }
}

async function connectTo(network: Network, url: URL, { allowed, signal }: FetchRequest): Promise<Socket> {
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await lookUp(network, url, signal) : [host];
  if (!isAllowed(url, allowed)) requirePublic(url, addresses, network.own());
  let failure: unknown = new HubError('network', `${shownUrl(url.href)}: the name has no address`);
  for (const address of addresses.slice(0, ADDRESSES_TRIED_MAX)) {
    signal.throwIfAborted();
    const isOnly = addresses.length === 1;
    const limit = isOnly ? signal : AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS_MAX)]);
    const isSecure = url.protocol === 'https:';
    try {
      return await network.connect({ address, port: portOf(url), isSecure, host, signal: limit });
    } catch (error) {
      failure = error;
    }
  }
  throw networkError(failure, shownUrl(url.href));
}

async function lookUp(network: Network, url: URL, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  const name = url.hostname; // with a trailing dot, if it has one, so that no search domain is tried
  try {
    return await raceAbort(network.lookup(name), signal, () => signal.reason);
  } catch (error) {
    throw networkError(error, shownUrl(url.href));
  }
}

function tooMany(url: string): HubError {
  return new HubError('network', `${shownUrl(url)} sends on more than ${REDIRECTS_MAX} times`, {
    hint: 'it may send in a circle',
  });
}
