import { once } from 'node:events';
import { chmodSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { HubError } from '../base/error.js';
import { formatListen, type ListenAddress, unboundName } from '../home/socket_path.js';

/** An address that the hub listens on. */
export interface Binding {
  stop(): void;
}

/**
 * Listens on a Unix socket. It is bound under a temporary name and renamed once its permissions are set, so that nobody
 * connects before that, and the socket of a dead hub is replaced atomically.
 */
export async function bindSocket(server: Server, path: string): Promise<Binding> {
  const unbound = unboundName(path);
  rmSync(unbound, { force: true });
  await listen(server, { path: unbound });
  chmodSync(unbound, 0o600);
  const { ino } = statSync(unbound);
  renameSync(unbound, path);
  return {
    stop() {
      server.close();
      // The home may have been removed meanwhile, and recreated by another hub.
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path);
    },
  };
}

/** Listens on a TCP address; returns it with the port it got. */
export async function bindTcp(server: Server, address: ListenAddress): Promise<Binding & { address: ListenAddress }> {
  const host = address.host === 'localhost' ? '127.0.0.1' : address.host; // never resolved by a name service
  await listen(server, { host, port: address.port });
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  return { address: { host: address.host, port }, stop: () => server.close() };
}

async function listen(server: Server, where: { path: string } | ListenAddress): Promise<void> {
  try {
    server.listen(where);
    await once(server, 'listening');
  } catch (error) {
    const place = 'path' in where ? where.path : formatListen(where);
    const reason = error instanceof Error ? error.message : String(error);
    throw new HubError('storage_failed', `the hub cannot listen on ${place}: ${reason}`, {
      hint: 'path' in where ? 'check the permissions of its folder' : 'choose another port',
      cause: error,
    });
  }
}
