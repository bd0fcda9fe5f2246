import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RawJson } from '../../../hub/base/plugin.js';
import { openLink } from '../../../hub/client/link.js';
import { PROTOCOL } from '../../../hub/protocol/limits.js';
import { withServer } from '../serving.js';

const UPGRADE =
  'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
/** Much more than the system takes of what nobody reads. */
const ANSWER_BYTES = 8 * 1024 * 1024;
const program = { version: '1.2.3', protocol: PROTOCOL };

/** A call that is answered when it is let go. */
function heldCall() {
  let letGo: () => void = () => undefined;
  let begun: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const handler = async (): Promise<RawJson> => {
    begun();
    await released;
    return new RawJson('{}');
  };
  return { handler, running, letGo: () => letGo() };
}

test('a newcomer to a hub that is ending is told that it ends, not that it is full', async () => {
  const call = heldCall();
  await withServer({ 'loom.tree_create': call.handler as never }, async ({ server, socket, dial }) => {
    const newcomer = connectSocket(socket);
    await once(newcomer, 'connect');
    newcomer.write('GET'); // its request has begun, so that it is not closed as an idle one
    const caller = await dial();
    caller.send({ jsonrpc: '2.0', id: 1, method: 'loom.tree_create', params: {} });
    await call.running;
    const closing = server.close();
    newcomer.write(UPGRADE.slice('GET'.length));
    let answer = '';
    for await (const piece of newcomer) answer += String(piece);
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toContain('\r\nx-cognition-ending: 1\r\n');
    expect(answer).toMatch(/the hub is ending\n$/);
    call.letGo();
    expect(await caller.next()).toMatchObject({ id: 1, result: {} });
    await closing;
  });
});

test('what was answered before the end is sent whole to a caller that is slow to read', async () => {
  const text = new RawJson(JSON.stringify('x'.repeat(ANSWER_BYTES)));
  await withServer({ 'loom.tree_get': (async () => text) as never }, async ({ server, socket }) => {
    const link = await openLink({ kind: 'socket', path: socket }, program);
    if (link === null) throw new Error('the server is there');
    link.socket.pause();
    link.send(
      '{"jsonrpc":"2.0","id":1,"method":"loom.tree_get","params":{"tree":"00000000-0000-4000-8000-000000000001"}}',
    );
    while (server.heldBytes() < ANSWER_BYTES / 2) await nextTurn();
    const closing = server.close();
    const closed = once(link.socket, 'close');
    await nextTurn();
    link.socket.resume();
    const [data] = await once(link.socket, 'message');
    expect(String(data)).toHaveLength(`{"jsonrpc":"2.0","id":1,"result":""}`.length + ANSWER_BYTES);
    expect((await closed)[0]).toBe(1001);
    await closing;
  });
});
