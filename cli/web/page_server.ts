import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { BODY_BYTES_MAX, keyOfUpgrade, refusePosting, refuseReading, type Turnaway } from './admission.js';
import type { Codes, PageSession } from './codes.js';
import type { PageFile, PageFiles } from './page_files.js';
import { answerHeaders } from './page_headers.js';
import { REQUEST_BYTES_MAX } from './page_request.js';

const HEADER_MS_MAX = 5_000;
const REQUEST_MS_MAX = 10_000;
/** Cookies of other servers on this machine come along, although nobody here reads them. */
const HEADER_BYTES_MAX = 64 * 1024;
const CONNECTIONS_MAX = 128;
const PAGES_MAX = 32;

/** Told to a page when its code was used a second time. */
const SESSION_ENDED = 4_001;
const GOING_AWAY = 1_001;

export interface PageServerParts {
  /** 0 for any that is free. */
  port: number;
  files: PageFiles;
  codes: Codes;
  isOwnPeer(socket: Socket): boolean;
  /** Takes a socket of a page that has entered. */
  take(page: WebSocket): void;
  /** Called when a code was used a second time. */
  onUsedTwice(): void;
}

export interface PageServer {
  port: number;
  close(): Promise<void>;
}

/** Listens on the loopback address alone, and lets in nobody but the page that it serves itself. */
export async function listenForPages(parts: PageServerParts): Promise<PageServer> {
  const pages = new Set<WebSocket>();
  const options = { maxHeaderSize: HEADER_BYTES_MAX, headersTimeout: HEADER_MS_MAX, requestTimeout: REQUEST_MS_MAX };
  // A request without a host is refused by us, with the same headers as every other.
  const quick = { requireHostHeader: false, connectionsCheckingInterval: 1_000, keepAliveTimeout: HEADER_MS_MAX };
  const server = createServer({ ...options, ...quick });
  server.maxConnections = CONNECTIONS_MAX;
  const port = await listening(server, parts.port);
  const place = { ...parts, port, pages, headers: answerHeaders(port) };
  const sockets = pageSockets(place);
  server.on('connection', (socket: Socket) => {
    if (!parts.isOwnPeer(socket)) socket.destroy();
  });
  server.on('request', (request, response) => answer(place, request, response));
  server.on('checkExpectation', (_, response) => refuse(place, response, { status: 400, reason: 'no expectations' }));
  server.on('upgrade', (request, socket, head) => upgrade(place, sockets, { request, socket, head }));
  server.on('clientError', (_, socket) => refuseSocket(place, socket, { status: 400, reason: 'this is no request' }));
  return {
    port,
    async close() {
      for (const page of pages) page.close(GOING_AWAY);
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      server.closeAllConnections();
      for (const page of pages) page.terminate();
      await closed;
    },
  };
}

type Place = PageServerParts & { pages: Set<WebSocket>; headers: Record<string, string> };

function listening(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, port)));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function listenError(error: Error, port: number): HubError {
  const isTaken = errnoOf(error) === 'EADDRINUSE';
  const message = isTaken ? `port ${port} is taken` : `port ${port} cannot be listened on: ${error.message}`;
  return new HubError(isTaken ? 'conflict' : 'invalid_params', message, {
    hint: ['take another, or any that is free: ', cliCommand('web')],
    cause: error,
  });
}

function answer(place: Place, request: IncomingMessage, response: ServerResponse): void {
  const isPost = request.url === '/enter' || request.url === '/session';
  const refusal = (isPost ? refusePosting : refuseReading)(request, place.port);
  const file = place.files.get(request.url ?? '');
  if (refusal !== null) refuse(place, response, refusal);
  else if (isPost) answerPost(place, request, response);
  else if (file === undefined) refuse(place, response, { status: 404, reason: 'there is nothing here' });
  else respond(place, response, { status: 200, ...file });
}

function answerPost(place: Place, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    const isEntry = request.url === '/enter';
    const said = secretIn(Buffer.concat(chunks).toString('utf8'), isEntry ? 'code' : 'key');
    if (said === null) refuse(place, response, { status: 400, reason: 'this is not what a page sends' });
    else respondJson(place, response, isEntry ? enter(place, said) : lookAt(place, said));
  });
}

/** The one string of a body such as `{"code":"…"}`, written as our page writes it. */
function secretIn(body: string, name: 'code' | 'key'): string | null {
  const [, secret = null] = new RegExp(`^\\{"${name}":"([\\w-]{1,100})"\\}$`).exec(body) ?? [];
  return secret;
}

function enter({ codes, onUsedTwice }: Place, code: string): { status: number; value: object } {
  const entry = codes.enter(code);
  if (entry.kind === 'entered') return { status: 200, value: { key: entry.key } };
  if (entry.kind === 'twice') onUsedTwice();
  return { status: 401, value: { reason: entry.kind } };
}

/** Tells a page whose socket was refused whether its session has ended. */
function lookAt({ codes }: Place, key: string): { status: number; value: object } {
  return codes.sessionOf(key) === null ? { status: 401, value: { reason: 'ended' } } : { status: 200, value: {} };
}

function pageSockets({ headers }: Place): WebSocketServer {
  const sockets = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: REQUEST_BYTES_MAX },
    // The key is the other one that is said for: it is not said back.
    handleProtocols: () => 'cognition.v1',
  });
  sockets.on('headers', (lines) => {
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  });
  return sockets;
}

interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}

function upgrade(place: Place, sockets: WebSocketServer, { request, socket, head }: Upgrade): void {
  socket.on('error', () => socket.destroy());
  const entered = enteredSession(place, request);
  if ('reason' in entered) {
    refuseSocket(place, socket, entered);
    return;
  }
  const onFailure = (_: Error, failed: Duplex): void =>
    refuseSocket(place, failed, { status: 400, reason: 'no socket' });
  sockets.once('wsClientError', onFailure);
  sockets.handleUpgrade(request, socket, head, (page) => {
    keep(place, entered, page);
    place.take(page);
  });
  sockets.off('wsClientError', onFailure);
}

function enteredSession({ port, codes, pages }: Place, request: IncomingMessage): PageSession | Turnaway {
  const said = keyOfUpgrade(request, port);
  if ('reason' in said) return said;
  if (pages.size >= PAGES_MAX) return { status: 403, reason: 'too many pages' };
  return codes.sessionOf(said.key) ?? { status: 401, reason: 'this key opens nothing' };
}

function keep({ pages }: Place, session: PageSession, page: WebSocket): void {
  pages.add(page);
  const stop = session.onEnd(() => {
    page.close(SESSION_ENDED, 'the link was used twice');
    page.resume();
  });
  page.once('close', () => {
    stop();
    pages.delete(page);
  });
}

function respond(place: Place, response: ServerResponse, { status, type, bytes }: PageFile & { status: number }): void {
  const head = { ...place.headers, 'content-type': type, 'content-length': bytes.length };
  response.writeHead(status, status === 200 ? head : { ...head, connection: 'close' });
  response.end(bytes);
}

function respondJson(place: Place, response: ServerResponse, { status, value }: { status: number; value: object }) {
  respond(place, response, { status, type: 'application/json', bytes: Buffer.from(JSON.stringify(value)) });
}

function refuse(place: Place, response: ServerResponse, { status, reason }: Turnaway): void {
  respond(place, response, { status, type: 'text/plain; charset=utf-8', bytes: Buffer.from(`${reason}\n`) });
}

/** The same where there is no response yet, or none any more. */
function refuseSocket({ headers }: Place, socket: Duplex, { status, reason }: Turnaway): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = `${reason}\n`;
  const all = { ...headers, 'content-type': 'text/plain; charset=utf-8', 'content-length': body.length };
  const lines = Object.entries({ ...all, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
