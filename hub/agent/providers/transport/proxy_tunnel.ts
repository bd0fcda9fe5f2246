import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { bareHost } from './proxy_choice.js';
import { proxyFailure, proxyRefusal } from './proxy_failure.js';

/** How long a proxy may take to connect to a server. */
const CONNECT_MS_MAX = 60_000;

export interface AgentOptions {
  keepAlive: boolean;
  /** How long an idle connection is kept. */
  timeout: number;
  /** The authorities to trust; none for the usual ones. */
  ca?: string[];
}

/** Connections to servers that are encrypted, through the tunnel that a proxy makes for each. */
export function tunnelAgent(proxy: URL, options: AgentOptions): Agent {
  const agent = new Agent(options);
  return Object.assign(agent, {
    createConnection(wanted: WantedConnection, done: (error: Error | null, socket?: Socket) => void): void {
      const host = wanted.host.includes(':') ? `[${wanted.host}]` : wanted.host;
      openTunnel(proxy, { target: `${host}:${wanted.port}`, ca: options.ca })
        .then((socket) => done(null, connect({ ...wanted, socket })))
        .catch((error: Error) => done(error));
    },
  });
}

interface WantedConnection {
  host: string;
  port: number;
}

function openTunnel(proxy: URL, { target, ca }: { target: string; ca: string[] | undefined }): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const headers = { host: target, ...proxyAuthorization(proxy) };
    const connecting = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
      ...{ method: 'CONNECT', path: target, headers, agent: false, timeout: CONNECT_MS_MAX },
      ...proxyPlace(proxy),
      ...(ca === undefined ? {} : { ca }),
    });
    connecting.once('connect', ({ statusCode = 0 }, socket, head) => {
      // A tunnel has no limit of its own: the request through it is watched.
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(proxyRefusal(statusCode, { proxy, target }));
    });
    // It answered as if it were a server.
    connecting.once('response', (response) => {
      response.destroy();
      reject(proxyRefusal(response.statusCode ?? 0, { proxy, target }));
    });
    connecting.once('timeout', () => connecting.destroy(Object.assign(new Error('no tunnel'), { code: 'ETIMEDOUT' })));
    connecting.once('error', (error) => reject(proxyFailure(error, proxy)));
    connecting.end();
  });
}

/** Where a proxy listens. */
export function proxyPlace({ protocol, hostname, port }: URL): { host: string; port: number } {
  return { host: bareHost(hostname), port: Number(port || (protocol === 'https:' ? 443 : 80)) };
}

/** The header with the name and the password that a proxy's address has. */
export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${unescaped(username)}:${unescaped(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function unescaped(text: string): string {
  // A single % is written by people, and stands for itself.
  return text.replace(/(%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}
