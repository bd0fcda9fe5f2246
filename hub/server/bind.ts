import { once } from 'node:events';
import { chmodSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { HubError } from '../base/error.js';
import { formatListen, type ListenAddress, unboundName } from '../home/socket_path.js';

/** A place where callers come in. */
export interface Binding {
  stop(): void;
}

/**
 * Listens on a Unix socket. It is bound under another name and moved into its place when only its owner can reach
 * it: nobody finds it half made, and one that a dead hub left is replaced in one step.
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
      // Somebody may have removed the home meanwhile, and another hub made it anew.
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path);
    },
  };
}

/** Listens on a TCP address; returns it with the port it got. */
export async function bindTcp(server: Server, address: ListenAddress): Promise<Binding & { address: ListenAddress }> {
  const host = address.host === 'localhost' ? '127.0.0.1' : address.host; // no name service decides what is local
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
