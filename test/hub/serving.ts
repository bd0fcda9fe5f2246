import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import type { Handlers } from '../../hub/base/plugin.js';
import { createRpcPlugin } from '../../hub/plugins/health.js';
import type { Hint } from '../../hub/protocol/errors.js';
import { createCalls } from '../../hub/routing/calls_under_way.js';
import { createHub } from '../../hub/routing/hub.js';
import { createRpc } from '../../hub/server/json_rpc.js';
import { type Server, type ServerParts, startServer } from '../../hub/server/server.js';
import { withFolder } from '../support/hub.js';

/** A message as it came over the wire. */
export interface Message {
  id?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data: { kind: string; hint: Hint | null } };
  method?: string;
  params?: { stream: string; seq: number; event: unknown };
}

/** A caller that says what it likes and sees everything that comes back. */
export interface RawCaller {
  socket: WebSocket;
  send(frame: unknown): void;
  /** The next message that has not been taken yet. */
  next(): Promise<Message>;
  /** The code the connection was closed with. */
  closed: Promise<number>;
}

export interface Serving {
  server: Server;
  socket: string;
  /** What the log says. */
  lines: string[];
  dial(): Promise<RawCaller>;
}

/** Serves these handlers of the plugin loom on a Unix socket, and over TCP when asked to, in this process. */
export function withServer<T>(
  loom: Handlers,
  use: (serving: Serving) => Promise<T>,
  tcp: ServerParts['tcp'] = null,
): Promise<T> {
  return withFolder(async (folder) => {
    const lines: string[] = [];
    const log = (level: string, message: string) => void lines.push(`${level} ${message}`);
    const calls = createCalls();
    const plugins = [{ name: 'loom', version: '1', methods: loom }, createRpcPlugin({ version: '1', calls })];
    const socket = join(folder, 'hub.sock');
    const server = await startServer({
      socket,
      tcp,
      answer: createRpc({ hub: createHub({ plugins, log }), calls }),
      calls,
      greeting: () => ({ version: '1.2.3', epoch: 'e', busy: calls.busy() }),
      onCount: () => undefined,
      isOwnProcess: () => false,
      log,
    });
    const callers: RawCaller[] = [];
    const call = async (): Promise<RawCaller> => {
      const caller = await dial(socket);
      callers.push(caller);
      return caller;
    };
    try {
      return await use({ server, socket, lines, dial: call });
    } finally {
      for (const caller of callers) caller.socket.terminate();
      await server.close();
    }
  });
}

async function dial(path: string): Promise<RawCaller> {
  const socket = new WebSocket('ws://localhost/', {
    createConnection: () => connectSocket(path),
    maxPayload: 64 * 1024 * 1024,
  });
  const arrived: Message[] = [];
  const waiting: ((message: Message) => void)[] = [];
  socket.on('message', (data) => {
    const message: Message = JSON.parse(String(data));
    const taker = waiting.shift();
    if (taker === undefined) arrived.push(message);
    else taker(message);
  });
  const closed = once(socket, 'close').then(([code]) => Number(code));
  socket.on('error', () => undefined); // told by the close
  await once(socket, 'open');
  return {
    socket,
    closed,
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    next() {
      const message = arrived.shift();
      return message === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(message);
    },
  };
}
