import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { keepAlive } from '../../../hub/server/keepalive.js';

// Short for who never answers; long enough for a busy machine where one does.
const SHORT_MS = 5;
const LONG_MS = 300;

async function connected(
  autoPong: boolean,
): Promise<{ server: WebSocketServer; served: WebSocket; caller: WebSocket }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const caller = new WebSocket(`ws://127.0.0.1:${port}`, { autoPong });
  const [served] = await once(server, 'connection');
  return { server, served, caller };
}

test('a caller that answers no ping is dropped', async () => {
  const { server, served, caller } = await connected(false);
  keepAlive(served, SHORT_MS);
  const [code] = await once(caller, 'close');
  expect(code).toBe(1006);
  server.close();
});

test('a caller that answers is kept round after round', async () => {
  const { server, served, caller } = await connected(true);
  keepAlive(served, LONG_MS);
  for (let rounds = 0; rounds < 3; rounds += 1) await once(served, 'pong');
  expect(caller.readyState).toBe(WebSocket.OPEN);
  caller.terminate();
  server.close();
});
