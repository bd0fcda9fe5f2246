import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers one request, once it has been read, in whatever way a test wants. */
export type Respond = (response: ServerResponse, request: IncomingMessage) => unknown;

/** Runs a test with a server on the loopback that keeps to no rules but those of HTTP. */
export async function withRawServer<T>(respond: Respond, use: (origin: string) => Promise<T>, host = '127.0.0.1') {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => void respond(response, request));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await use(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Begins a stream of events. */
export function streaming(response: ServerResponse, headers: Record<string, string> = {}): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
}

/** Writes bytes in chunks of a size, each once the one before is on its way. */
export async function writeInChunks(response: ServerResponse, bytes: Buffer, size: number): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
