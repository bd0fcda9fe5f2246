import { once } from 'node:events';
import { createServer, connect as dial, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Client } from '../../hub/client/client.js';
import { homePaths } from '../../hub/config/config.js';
import { knownSocket } from '../../hub/home/socket_path.js';
import { connectTo, withFolder } from './hub.js';

/** A client of a real hub over a connection that can break and lose the hub's messages. */
export interface LossyLine {
  client: Client;
  /** Drops all messages of the hub from now on. */
  loseAnswers(): void;
  /** Breaks the connection; messages on the next one arrive. */
  cut(): void;
}

export function withLossyLine<T>(home: string, use: (line: LossyLine) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const open = new Set<Socket>();
    let isLossy = false;
    const server = createServer((near) => {
      const far = dial(knownSocket(homePaths(home)) ?? '');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        open.add(from);
        from.on('error', () => undefined); // told by the close
        from.on('close', () => to.destroy());
      }
      near.on('data', (bytes) => far.write(bytes));
      far.on('data', (bytes) => isLossy || near.write(bytes));
    });
    const cut = (): void => {
      isLossy = false;
      for (const socket of open) socket.destroy();
      open.clear();
    };
    server.listen(join(folder, 'hub.sock'));
    await once(server, 'listening');
    const client = await connectTo(folder, { start: false });
    try {
      return await use({
        client,
        cut,
        loseAnswers() {
          isLossy = true;
        },
      });
    } finally {
      await client.close();
      cut();
      server.close();
    }
  });
}
