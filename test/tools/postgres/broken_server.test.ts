import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { HubError } from '../../../hub/base/error.js';
import { hintText } from '../../../hub/base/hint.js';
import { type TestHub, withHub } from '../../support/hub.js';
import { configure, query, refusalOf as refusal } from './database.js';

// The messages of a server that asks for no password: AuthenticationOk and ReadyForQuery.
const LOGGED_IN = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

test('a server that never answers is given up at the timeout', async () => {
  await withServer(
    () => undefined,
    async (hub) => {
      expect(await refusalOf(hub, 200)).toMatchObject({
        message: 'the query took longer than 0.2 s and was ended',
        data: { kind: 'limit' },
      });
    },
  );
});

test('a server that hangs up is reported as unreachable', async () => {
  await withServer(
    (socket) => socket.end(),
    async (hub) => {
      expect(await refusalOf(hub, 10_000)).toMatchObject({ data: { kind: 'network', retryable: true } });
    },
  );
});

test('a server that speaks another protocol is refused', async () => {
  await withServer(
    (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(1_000)),
    async (hub) => {
      const { message } = await refusalOf(hub, 1_000);
      expect(message).toMatch(/cannot be reached|took longer/);
      expect((await hub.client.call('tools.check', {})).running).toBe(0);
    },
  );
});

test('a server that announces a message of two gigabytes is given up at the timeout', async () => {
  await withServer(
    (socket) => socket.write(Buffer.from([0x52, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0])),
    async (hub) => {
      expect((await refusalOf(hub, 300)).message).toMatch(/cannot be reached|took longer/);
    },
  );
});

test('a server that accepts the login and then says nothing is given up at the timeout', async () => {
  await withServer(
    (socket) => socket.write(LOGGED_IN),
    async (hub) => {
      expect(await refusalOf(hub, 300)).toMatchObject({ data: { kind: 'limit' } });
      const controller = new AbortController();
      const running = refusal(query(hub, { sql: 'SELECT 1' }, controller.signal));
      controller.abort();
      expect((await running).data.kind).toBe('cancelled');
    },
  );
});

async function withServer(answer: (socket: Socket) => unknown, use: (hub: TestHub) => Promise<void>): Promise<void> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    await withHub(async (hub) => {
      configure(hub, { shop: `postgres://me:canary@127.0.0.1:${port}/shop` });
      await use(hub);
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
}

async function refusalOf(hub: TestHub, timeout_ms: number): Promise<HubError> {
  const error = await refusal(query(hub, { sql: 'SELECT 1', timeout_ms }));
  expect(`${error.message} ${hintText(error.hint ?? '')}`).not.toMatch(/canary|127\.0/);
  return error;
}
