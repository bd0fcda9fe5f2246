import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A real HTTP proxy on loopback that counts what passes, and knows where each host is. */
export interface TestProxy {
  /** `http://127.0.0.1:<port>`, or `https` for one that is encrypted itself. */
  origin: string;
  /** Each tunnel, by the host and the port that were asked for. */
  tunnels: string[];
  /** Each request that was passed on without a tunnel, by its whole address. */
  passed: string[];
  /** The bytes that went through tunnels to servers. */
  bytes: number;
}

export interface ProxyOptions {
  /** `name:password`; null for none. */
  account?: string | null;
  /** The status of what it does not let through. */
  refuses?: number | null;
  /** The port on loopback of hosts that only the proxy knows. */
  hosts?: Readonly<Record<string, number>>;
  secure?: { key: string; cert: string } | null;
}

/** Runs a test with a proxy. */
export async function withProxy<T>(use: (proxy: TestProxy) => Promise<T>, options: ProxyOptions = {}): Promise<T> {
  const { secure = null, hosts = {} } = options;
  const server: Server = secure === null ? createServer() : createTlsServer(secure);
  const proxy: TestProxy = { origin: '', tunnels: [], passed: [], bytes: 0 };
  const sockets = new Set<Duplex>();
  const refusal = ({ headers }: IncomingMessage): number | null => {
    const wanted = options.account == null ? undefined : `Basic ${Buffer.from(options.account).toString('base64')}`;
    return headers['proxy-authorization'] === wanted ? (options.refuses ?? null) : 407;
  };
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refused = refusal(request);
    if (refused !== null) return void socket.end(`HTTP/1.1 ${refused} Refused\r\ncontent-length: 0\r\n\r\n`);
    const target = request.url ?? '';
    proxy.tunnels.push(target);
    const url = new URL(`http://${target}`);
    const known = hosts[target];
    const upstream = connect(known ?? Number(url.port || 80), known === undefined ? url.hostname : '127.0.0.1');
    sockets.add(upstream);
    upstream.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
    socket.on('data', (chunk: Buffer) => {
      proxy.bytes += chunk.length;
    });
    for (const end of [socket, upstream]) {
      end.on('error', () => undefined);
      end.on('close', () => [socket, upstream].map((one) => one.destroy()));
    }
  });
  server.on('request', (request: IncomingMessage, response) => {
    const refused = refusal(request);
    if (refused !== null) return void response.writeHead(refused).end();
    proxy.passed.push(request.url ?? '');
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const onwards = httpRequest(request.url ?? '', { method: request.method, headers }, (answer) => {
      answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers));
    });
    onwards.on('error', () => response.destroy());
    request.pipe(onwards);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  proxy.origin = `${secure === null ? 'http' : 'https'}://127.0.0.1:${port}`;
  try {
    return await use(proxy);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
