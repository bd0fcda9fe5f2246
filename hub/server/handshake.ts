import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Refusal, refusedUpgrade, type TcpRules } from './tcp_admission.js';

/** How long a caller may take to send its request, and the hub to answer it. */
const HANDSHAKE_MS_MAX = 10_000;
/** The most TCP connections that have not authenticated yet; one more drops the oldest. */
export const HALF_OPEN_MAX = 100;
/** The same on the socket, which only the owner reaches, who may start a thousand programs at once. */
const HALF_OPEN_SOCKET_MAX = 1_000;
const HEADER_BYTES_MAX = 16 * 1024;

export interface Gate {
  /** What callers must present; read again for each, because a port is known only once it is bound. Null on the socket. */
  rules(): TcpRules | null;
  /** Whether one more connection is taken: there is a limit, and a hub that is ending takes nobody. */
  admits(): 'yes' | 'full' | 'ending';
  /** Takes over the connection of an admitted caller. */
  enter(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Creates an HTTP server that only upgrades connections to WebSocket, or refuses them with a reason. */
export function createListener(gate: Gate): Server {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HANDSHAKE_MS_MAX,
    requestTimeout: HANDSHAKE_MS_MAX,
    connectionsCheckingInterval: HANDSHAKE_MS_MAX / 2,
    requireHostHeader: false, // a missing one is refused like a wrong one
    noDelay: true,
  });
  const halfOpen = limitHalfOpen(server, gate);
  const refuseRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const refusal = refusedUpgrade(request.headers, gate.rules()) ?? UPGRADE_NEEDED;
    response.writeHead(refusal.status, headersOf(refusal)).end(`${refusal.reason}\n`);
  };
  server.on('request', refuseRequest);
  server.on('checkContinue', refuseRequest); // by default Node would ask for the body first
  server.on('upgrade', (request, socket, head) => {
    halfOpen.delete(request.socket);
    const refusal = refusedUpgrade(request.headers, gate.rules()) ?? NOT_ADMITTED[gate.admits()];
    if (refusal !== null) return refuse(socket, refusal);
    gate.enter(request, socket, head);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  return server;
}

const UPGRADE_NEEDED: Refusal = { status: 426, reason: 'this is a WebSocket endpoint' };
const NOT_ADMITTED: Record<ReturnType<Gate['admits']>, Refusal | null> = {
  yes: null,
  full: { status: 503, reason: 'too many connections' },
  ending: { status: 503, reason: 'the hub is ending', isEnding: true },
};

function limitHalfOpen(server: Server, gate: Gate): Set<Socket> {
  const halfOpen = new Set<Socket>();
  server.on('connection', (socket) => {
    const most = gate.rules() === null ? HALF_OPEN_SOCKET_MAX : HALF_OPEN_MAX;
    halfOpen.add(socket);
    socket.once('close', () => halfOpen.delete(socket));
    // An honest caller authenticates within milliseconds, so it gets in during a flood.
    const [oldest] = halfOpen;
    if (halfOpen.size > most) oldest?.destroy();
  });
  return halfOpen;
}

function headersOf(refusal: Refusal): Record<string, string> {
  return {
    connection: 'close',
    'content-type': 'text/plain',
    'content-length': String(refusal.reason.length + 1),
    ...(refusal.status === 426 ? { upgrade: 'websocket' } : {}),
    ...(refusal.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(refusal.isEnding === true ? { 'x-cognition-ending': '1' } : {}),
  };
}

const STATUS_TEXT = { 401: 'Unauthorized', 403: 'Forbidden', 426: 'Upgrade Required', 503: 'Service Unavailable' };

function refuse(socket: Duplex, refusal: Refusal): void {
  const headers = Object.entries(headersOf(refusal)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_TEXT[refusal.status]}\r\n${headers.join('')}\r\n${refusal.reason}\n`,
    () => socket.destroy(),
  );
}
