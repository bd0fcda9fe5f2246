import { once } from 'node:events';
import { statSync } from 'node:fs';
import { get, request as httpRequest } from 'node:http';
import { connect as connectSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLink } from '../../../hub/client/link.js';
import { parseListen } from '../../../hub/home/socket_path.js';
import { bindSocket } from '../../../hub/server/bind.js';
import { createListener, HALF_OPEN_MAX } from '../../../hub/server/handshake.js';
import { withFolder } from '../../support/hub.js';
import { type Serving, withServer } from '../serving.js';

const token = 'T'.repeat(43);
const program = { version: '1.2.3', protocol: 1 };

function withTcp<T>(use: (port: number, serving: Serving) => Promise<T>): Promise<T> {
  const tcp = { address: { host: '127.0.0.1', port: 0 }, token };
  return withServer({}, (serving) => use(Number(serving.server.listen?.split(':').at(-1)), serving), tcp);
}

/** Asks for an upgrade with these headers and returns the status; nothing else may come before the end. */
function upgrade(target: { port: number } | { socketPath: string }, headers: Record<string, string>): Promise<number> {
  const requestHeaders = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ ...target, host: '127.0.0.1', headers: requestHeaders, setHost: false });
    request.on('response', (response) => resolve(response.resume().statusCode ?? 0));
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve(101);
    });
    request.on('error', reject);
    request.end();
  });
}

describe('an upgrade over TCP', () => {
  const good = (port: number) => ({ Host: `127.0.0.1:${port}`, Authorization: `Bearer ${token}` });

  test('with the token and a known host is let in', async () => {
    await withTcp(async (port) => expect(await upgrade({ port }, good(port))).toBe(101));
  });

  const tokens: [string, string | undefined][] = [
    ['no token', undefined],
    ['an empty one', 'Bearer '],
    ['a wrong one of the same length', `Bearer ${'U'.repeat(43)}`],
    ['its beginning', `Bearer ${token.slice(0, 42)}`],
    ['it and one letter more', `Bearer ${token}T`],
    ['a very long one', `Bearer ${'T'.repeat(10_000)}`],
    ['another scheme', `Basic ${token}`],
  ];
  test.each(tokens)('with %s gets 401', async (_title, authorization) => {
    await withTcp(async (port) => {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      expect(await upgrade({ port }, { Host: `127.0.0.1:${port}`, ...headers })).toBe(401);
    });
  });

  const origins = ['http://evil.test', 'null', 'file://', '', 'http://localhost:1', 'http://127.0.0.1'];
  test.each(origins)('of a page of origin "%s" gets 403, token or not', async (origin) => {
    await withTcp(async (port) => {
      expect(await upgrade({ port }, { ...good(port), Origin: origin })).toBe(403);
      expect(await upgrade({ port }, { Host: `127.0.0.1:${port}`, Origin: origin })).toBe(403);
    });
  });

  const hosts = ['evil.test', 'localhost.evil.test', '0.0.0.0', '127.0.0.1.nip.io', '127.0.0.1:1', '', undefined];
  test.each(hosts)('for the host "%s" gets 403', async (host) => {
    await withTcp(async (port) => {
      const headers = host === undefined ? {} : { Host: host === '' || host.includes(':') ? host : `${host}:${port}` };
      expect(await upgrade({ port }, { Authorization: `Bearer ${token}`, ...headers })).toBe(403);
    });
  });

  test('returns the hub’s version and state in its headers', async () => {
    await withTcp(async (port) => {
      const link = await openLink({ kind: 'tcp', host: '127.0.0.1', port, token }, program);
      link?.socket.terminate();
      expect(link?.hub).toEqual({ protocol: 1, version: '1.2.3', epoch: 'e', busy: 0, listen: `127.0.0.1:${port}` });
    });
  });

  test('that is refused gives our client a hint', async () => {
    await withTcp(async (port) => {
      const wrong = openLink({ kind: 'tcp', host: '127.0.0.1', port, token: 'wrong' }, program);
      await expect(wrong).rejects.toMatchObject({
        kind: 'unauthorised',
        message: `the hub at 127.0.0.1:${port} does not know this token`,
      });
    });
  });
});

describe('the Unix socket', () => {
  test('is for its owner alone', async () => {
    await withServer({}, async ({ socket }) => expect(statSync(socket).mode & 0o777).toBe(0o600));
  });

  test('needs no token but refuses browsers too', async () => {
    await withServer({}, async ({ socket }) => {
      expect(await upgrade({ socketPath: socket }, { Host: 'localhost' })).toBe(101);
      expect(await upgrade({ socketPath: socket }, { Host: 'localhost', Origin: 'http://localhost' })).toBe(403);
    });
  });
});

describe('a plain HTTP request', () => {
  async function ask(options: { method: string; path: string; headers: Record<string, string> }) {
    return withTcp(async (port) => {
      const request = get({ port, host: '127.0.0.1', ...options });
      const [response] = await once(request, 'response');
      let body = '';
      for await (const piece of response) body += piece;
      return `${response.statusCode} ${body}`;
    });
  }
  const authorization = `Bearer ${token}`;

  test.each(['GET', 'OPTIONS', 'DELETE'])('by %s gets 426 and nothing else, with the token', async (method) => {
    const answer = await ask({ method, path: '/health', headers: { authorization } });
    expect(answer).toBe('426 this is a WebSocket endpoint\n');
  });

  test('gets 401 without it', async () => {
    expect(await ask({ method: 'GET', path: '/', headers: {} })).toBe('401 a token is needed\n');
  });

  test('gets 403 from a page', async () => {
    const answer = await ask({ method: 'GET', path: '/', headers: { authorization, origin: 'http://localhost' } });
    expect(answer).toBe('403 browsers are not served\n');
  });
});

describe('a hub without room for one more', () => {
  test('answers with 503', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'hub.sock');
      const enter = () => expect.unreachable();
      const full = createListener({ rules: () => null, admits: () => 'full', enter });
      const binding = await bindSocket(full, path);
      await expect(openLink({ kind: 'socket', path }, program)).rejects.toMatchObject({
        kind: 'limit',
        retryable: true,
      });
      binding.stop();
    });
  });
});

describe('callers that never authenticate', () => {
  test('are dropped for later ones, so that an honest caller gets in', async () => {
    await withTcp(async (port) => {
      const idlers: Socket[] = [];
      const gone: Promise<unknown>[] = [];
      for (let count = 0; count < HALF_OPEN_MAX + 20; count += 1) {
        const idler = connectSocket(port, '127.0.0.1');
        idler.on('error', () => undefined); // being pushed out may be told as an error
        await once(idler, 'connect');
        idlers.push(idler);
        gone.push(once(idler, 'close'));
      }
      await Promise.all(gone.slice(0, 20));
      const link = await openLink({ kind: 'tcp', host: '127.0.0.1', port, token }, program);
      expect(link).not.toBeNull();
      link?.socket.terminate();
      for (const idler of idlers) idler.destroy();
    });
  });
});

describe('--listen', () => {
  const good: [string, string, number][] = [
    ['127.0.0.1:4040', '127.0.0.1', 4040],
    ['127.255.0.9:1', '127.255.0.9', 1],
    ['localhost:0', 'localhost', 0],
    ['[::1]:65535', '::1', 65_535],
  ];
  test.each(good)('takes %s', (text, host, port) => {
    expect(parseListen(text)).toEqual({ host, port });
  });

  const bad = [
    '',
    '4040',
    ':4040',
    '0.0.0.0:1',
    '10.0.0.1:1',
    '::1:1',
    '[::]:1',
    '127.1:1',
    '127.0.0.256:1',
    'localhost:65536',
    'localhost.evil.test:1',
    '127.0.0.1:1x',
  ];
  test.each(bad)('refuses "%s"', (text) => {
    expect(() => parseListen(text)).toThrow(/is not an address to listen on|loopback addresses only/);
  });
});
