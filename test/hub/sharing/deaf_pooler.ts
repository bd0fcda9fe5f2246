import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { OWNER_PASSWORD, type TestServer } from '../../tools/postgres/server.js';

/** The type of a message by which PostgreSQL tells what was announced. */
const NOTIFICATION = 'A'.charCodeAt(0);

/** Reaches the server through what passes everything on but announcements, as a pooler of connections does. */
export async function startDeafPooler(server: TestServer): Promise<{ address: string; stop(): void }> {
  const sockets = new Set<Socket>();
  const pooler = createServer((inner) => {
    const outer = connect(server.port, '127.0.0.1');
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    inner.pipe(outer);
    let rest = Buffer.alloc(0);
    outer.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      for (;;) {
        const size = rest.length < 5 ? Number.POSITIVE_INFINITY : 1 + rest.readUInt32BE(1);
        if (rest.length < size) return;
        if (rest[0] !== NOTIFICATION) inner.write(rest.subarray(0, size));
        rest = rest.subarray(size);
      }
    });
    outer.on('close', () => inner.destroy());
    inner.on('close', () => outer.destroy());
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  const at = pooler.address();
  if (at === null || typeof at === 'string') throw new Error('it listens on a port');
  return {
    address: `postgres://owner:${OWNER_PASSWORD}@127.0.0.1:${at.port}/postgres`,
    stop() {
      for (const socket of sockets) socket.destroy();
      pooler.close();
    },
  };
}
