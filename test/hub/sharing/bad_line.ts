import { once } from 'node:events';
import { createServer, connect as dial, type Socket } from 'node:net';

/** How a line is: `cut` ends what is connected, and takes no connection. */
export type LineState = 'open' | 'cut';

export interface BadLine {
  port: number;
  /** No answer is lost any more that was to be. */
  become(state: LineState): void;
  /** Loses one of the next answers of the server, which has done what it was told, and breaks with it. */
  loseAnswer(which: number): void;
  close(): void;
}

export interface LineParts {
  /** Where it listens, and the port on loopback that it leads to. */
  host: string;
  port: number;
  /** How late the next bytes come, in either direction. */
  delayMs(): number;
}

/** A line to a server that is slow, and breaks when it is told to. */
export async function openBadLine({ host, port, delayMs }: LineParts): Promise<BadLine> {
  const open = new Set<Socket>();
  let state: LineState = 'open';
  let answersLeft = Number.POSITIVE_INFINITY;
  const hangUp = (): void => {
    for (const socket of open) socket.destroy();
  };
  const pass = (from: Socket, to: Socket, isAnswer: boolean): void => {
    let dueMs = 0;
    from.on('data', (bytes) => {
      if (isAnswer && --answersLeft <= 0) {
        answersLeft = Number.POSITIVE_INFINITY;
        hangUp();
        return;
      }
      const nowMs = performance.now();
      // What comes later never overtakes.
      dueMs = Math.max(dueMs, nowMs + delayMs());
      if (dueMs <= nowMs) to.write(bytes);
      else setTimeout(() => to.write(bytes), dueMs - nowMs);
    });
    from.on('error', () => undefined); // told by the close
    from.on('close', () => to.destroy());
    open.add(from);
    from.once('close', () => open.delete(from));
  };
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = dial(port, '127.0.0.1');
    pass(near, far, false);
    pass(far, near, true);
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a listening line has a port');
  return {
    port: address.port,
    become(next) {
      if (next === 'cut') hangUp();
      state = next;
      answersLeft = Number.POSITIVE_INFINITY;
    },
    loseAnswer(which) {
      answersLeft = which;
    },
    close() {
      hangUp();
      server.close();
    },
  };
}
