import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type TestHub, withHub } from '../../support/hub.js';

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** Runs a test with a real server on loopback. */
export async function withServer<T>(respond: Respond, use: (origin: string, port: number) => Promise<T>): Promise<T> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  try {
    return await use(`http://127.0.0.1:${port}`, port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Runs a test with a real hub whose person has allowed one server. */
export function withAllowed<T>(respond: Respond, use: (origin: string, hub: TestHub) => Promise<T>): Promise<T> {
  return withServer(respond, (origin, port) =>
    withHub(async (hub) => {
      await mkdir(hub.home, { recursive: true });
      await writeFile(`${hub.home}/config`, `http.allow = 127.0.0.1:${port}\n`);
      return use(origin, hub);
    }),
  );
}
