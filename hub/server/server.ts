import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Log } from '../base/plugin.js';
import { within } from '../base/wait_at_most.js';
import { formatListen } from '../home/socket_path.js';
import { FRAME_BYTES_MAX, PROTOCOL } from '../protocol/limits.js';
import type { Calls } from '../routing/calls_under_way.js';
import { type Binding, bindSocket, bindTcp } from './bind.js';
import { type Connection, serveConnection } from './connection.js';
import { createListener, type Gate } from './handshake.js';
import { createHeldBytes } from './held_bytes.js';
import type { AnswerFrame } from './json_rpc.js';
import { keepAlive } from './keepalive.js';
import type { TcpRules } from './tcp_admission.js';
import { createTurnQueue } from './turn_queue.js';

/** The most connections at once. */
const CONNECTIONS_MAX = 1_000;
const KEEPALIVE_MS = 30_000;
/** How often it is seen whether somebody is too slow, while there is anything to wait for. */
const CHECK_MS = 1_000;
const END_GRACE_MS = 10_000;
/** For callers that are slow to read what they were answered. */
const FLUSH_GRACE_MS = 3_000;
const CLOSE_GRACE_MS = 1_000;

export interface ServerParts {
  /** The path of the Unix socket. */
  socket: string;
  /** Where to listen for TCP callers that show the token; null for nowhere. */
  tcp: TcpRules | null;
  answer: AnswerFrame;
  calls: Calls;
  /** Sent to a caller at the handshake: the program's version, the database's epoch, the number of running calls and turns. */
  greeting(): { version: string; epoch: string; busy: number };
  /** Called whenever a connection opens or closes. */
  onCount(connections: number): void;
  /** Whether a connection, by its number, is of one of the hub's own processes. */
  isOwnProcess(connection: number): boolean;
  log: Log;
}

export interface Server {
  /** The TCP address as bound; null without one. */
  listen: string | null;
  connections(): number;
  /** The bytes that it holds for all connections. */
  heldBytes(): number;
  /** Accepts nobody, answers running calls, then closes every connection. */
  close(): Promise<void>;
}

/** Starts listening and serves every connection. */
export async function startServer(parts: ServerParts): Promise<Server> {
  const connections = new Map<WebSocket, Connection>();
  const sockets = createSockets(() => ({ ...parts.greeting(), listen }));
  const noteVersion = versionNotes(parts);
  const shared = { turns: createTurnQueue(), held: createHeldBytes({ nowMs: () => performance.now(), later }) };
  let listen: string | null = null;
  let number = 0;
  let isOpen = true;
  const isTrusted = (connection: number) => () => parts.isOwnProcess(connection);

  const upgradeHandler = (keepaliveMs: number | null) => (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, stream, head, (socket) => {
      number += 1;
      noteVersion(request);
      const own = { number, stream, isTrusted: isTrusted(number) };
      connections.set(socket, serveConnection(socket, { ...parts, ...shared, ...own }));
      if (keepaliveMs !== null) keepAlive(socket, keepaliveMs);
      socket.on('close', () => {
        connections.delete(socket);
        parts.onCount(connections.size);
      });
      parts.onCount(connections.size);
    });
  };

  const admits: Gate['admits'] = () => {
    if (!isOpen) return 'ending';
    return connections.size < CONNECTIONS_MAX ? 'yes' : 'full';
  };
  const bindings: Binding[] = [];
  // TCP first, because the address may be taken: the socket must only appear once the hub can serve.
  if (parts.tcp !== null) {
    let rules = parts.tcp;
    const tcp = createListener({ rules: () => rules, admits, enter: upgradeHandler(KEEPALIVE_MS) });
    const binding = await bindTcp(tcp, rules.address);
    rules = { ...rules, address: binding.address };
    listen = formatListen(binding.address);
    bindings.push(binding);
  }
  const unix = createListener({ rules: () => null, admits, enter: upgradeHandler(null) });
  bindings.push(await bindSocket(unix, parts.socket));
  return {
    listen,
    connections: () => connections.size,
    heldBytes: shared.held.total,
    async close() {
      isOpen = false;
      for (const binding of bindings) binding.stop();
      for (const connection of connections.values()) connection.stopReading();
      await within(END_GRACE_MS, parts.calls.idle());
      await nextTurn(); // the last answers are with their sockets by then
      await within(FLUSH_GRACE_MS, Promise.all([...connections.values()].map((connection) => connection.emptied())));
      await closeAll(connections);
    },
  };
}

function later(check: () => void): void {
  setTimeout(check, CHECK_MS).unref();
}

type Greeting = ReturnType<ServerParts['greeting']> & { listen: string | null };

function createSockets(greeting: () => Greeting): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
  });
  sockets.on('headers', (headers) => {
    const { version, epoch, busy, listen } = greeting();
    headers.push(
      `x-cognition-protocol: ${PROTOCOL}`,
      `x-cognition-version: ${version}`,
      `x-cognition-epoch: ${epoch}`,
      `x-cognition-busy: ${busy}`,
      `x-cognition-listen: ${listen ?? ''}`,
    );
  });
  return sockets;
}

const VERSIONS_NOTED_MAX = 10;

/** Logs, once each, the versions of connecting programs that differ from the hub's. */
function versionNotes({ greeting, log }: ServerParts): (request: IncomingMessage) => void {
  const noted = new Set<string>();
  return ({ headers }) => {
    const version = String(headers['x-cognition-version'] ?? '').slice(0, 40);
    const own = greeting().version;
    if (version === '' || version === own || noted.has(version) || noted.size >= VERSIONS_NOTED_MAX) return;
    noted.add(version);
    log('info', `a program of version ${version} uses this hub of version ${own}`);
  };
}

async function closeAll(connections: ReadonlyMap<WebSocket, Connection>): Promise<void> {
  const closed = [...connections.keys()].map((socket) => once(socket, 'close'));
  for (const connection of connections.values()) connection.goAway();
  await within(CLOSE_GRACE_MS, Promise.all(closed));
  for (const connection of connections.values()) connection.terminate();
}
