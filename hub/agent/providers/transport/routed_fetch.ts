import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Route } from '../../../protocol/turn.js';
import { proxyFor } from './proxy_choice.js';
import { proxyFailure, proxyRefusal } from './proxy_failure.js';
import { type AgentOptions, proxyAuthorization, proxyPlace, tunnelAgent } from './proxy_tunnel.js';

const IDLE_MS = 30_000;
const UNPACK = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

type Agents = Map<string, HttpAgent>;
/** The open connections of each turn: its route is one object, and what it holds is gone with it. */
const CONNECTIONS = new WeakMap<NonNullable<Route>, Agents>();

/** Straight to servers, by connections that all turns share. */
const STRAIGHT: NonNullable<Route> = {
  ...{ https_proxy: null, http_proxy: null, no_proxy: null },
  ...{ authorities: null, authorities_problem: null },
};

/**
 * The `fetch` of a route, which follows no redirect. It has no time limit: Node's own ends what is silent for five minutes, which
 * a model on the person's machine may be while it reads.
 */
export function routedFetch(given: Route): typeof fetch {
  const route = given ?? STRAIGHT;
  return async (input, init) => {
    const outgoing = new Request(input, init);
    // A string again: of a stream the length is not known, and not every server takes that.
    const body = init?.body === undefined || init.body === null ? null : await outgoing.text();
    return asResponse(await send(route, { outgoing, body, signal: init?.signal ?? outgoing.signal }));
  };
}

interface Sending {
  outgoing: Request;
  body: string | null;
  signal: AbortSignal;
}

function send(route: NonNullable<Route>, { outgoing, body, signal }: Sending): Promise<IncomingMessage> {
  const target = new URL(outgoing.url);
  const proxy = proxyFor(target, route);
  const { method } = outgoing;
  const headers = { ...Object.fromEntries(outgoing.headers), 'accept-encoding': 'identity' };
  const sent = body === null ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = open(target, { proxy, options: { method, signal, headers: sent }, route });
    request.once('error', (error) => reject(proxy === null ? error : proxyFailure(error, proxy)));
    request.once('response', (response) => {
      if (proxy === null || response.statusCode !== 407) return resolve(response);
      response.destroy();
      reject(proxyRefusal(407, { proxy, target: target.host }));
    });
    request.end(body ?? undefined);
  });
}

interface Opening {
  proxy: URL | null;
  options: RequestOptions;
  route: NonNullable<Route>;
}

/** Encrypted servers are reached through a tunnel; others are asked of the proxy itself. */
function open(target: URL, { proxy, options, route }: Opening) {
  const isEncrypted = target.protocol === 'https:';
  const agent = agentFor(route, { proxy, isEncrypted });
  if (isEncrypted) return httpsRequest(target, { ...options, agent });
  if (proxy === null) return httpRequest(target, { ...options, agent });
  const headers = { ...options.headers, host: target.host, ...proxyAuthorization(proxy) };
  const forwarded = { ...options, ...proxyPlace(proxy), path: target.href, headers, agent };
  return proxy.protocol === 'https:' ? httpsRequest(forwarded) : httpRequest(forwarded);
}

function agentFor(
  route: NonNullable<Route>,
  { proxy, isEncrypted }: { proxy: URL | null; isEncrypted: boolean },
): HttpAgent {
  const agents: Agents = CONNECTIONS.get(route) ?? new Map();
  CONNECTIONS.set(route, agents);
  const isTls = isEncrypted || proxy?.protocol === 'https:';
  const key = `${isEncrypted} ${proxy?.href ?? ''}`;
  const known = agents.get(key);
  if (known !== undefined) return known;
  const ca = route.authorities === null ? {} : { ca: [...rootCertificates, route.authorities] };
  const options: AgentOptions = { keepAlive: true, timeout: IDLE_MS, ...(isTls ? ca : {}) };
  const agent = agentOf(options, { tunnel: isEncrypted ? proxy : null, isTls });
  agents.set(key, agent);
  return agent;
}

function agentOf(options: AgentOptions, { tunnel, isTls }: { tunnel: URL | null; isTls: boolean }): HttpAgent {
  if (tunnel !== null) return tunnelAgent(tunnel, options);
  return isTls ? new HttpsAgent(options) : new HttpAgent(options);
}

function asResponse(message: IncomingMessage): Response {
  const { statusCode = 0, statusMessage = '', headersDistinct } = message;
  const headers = new Headers(
    Object.entries(headersDistinct).flatMap(([name, values]) =>
      (values ?? []).map((value): [string, string] => [name, value]),
    ),
  );
  const isEmpty = statusCode === 204 || statusCode === 304;
  if (isEmpty) message.resume();
  const unpack = UNPACK.get(headers.get('content-encoding') ?? '');
  const plain = unpack === undefined ? message : pipeline(message, unpack(), () => undefined);
  // Node's type of the same stream is another one.
  const body = Readable.toWeb(plain) as ReadableStream<Uint8Array>;
  return new Response(isEmpty ? null : body, { status: statusCode, statusText: statusMessage, headers });
}
