import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** With more than this not yet read by the other side, nothing more of it is begun and streams wait. */
export const UNREAD_SLOW_BYTES = 1024 * 1024;
/** With more than this not yet read, the other side is taken for stuck and the connection dropped. */
export const UNREAD_BYTES_MAX = 64 * 1024 * 1024;

/** The sending half of a connection. */
export interface Outlet {
  send(text: string): void;
  /** Whether the other side is behind with reading. */
  isSlow(): boolean;
  /** Resolves when it is not, or when the connection has closed. */
  drained(): Promise<void>;
}

interface OutletEvents {
  /** Something is about to be sent. */
  sending(): void;
  drained(): void;
  stuck(): void;
}

/** Sends on a socket, with bounds on what may pile up in front of a reader that is slow. */
export function createOutlet(socket: WebSocket, on: OutletEvents): Outlet {
  let waiters: (() => void)[] = [];
  const isSlow = (): boolean => socket.bufferedAmount > UNREAD_SLOW_BYTES;

  function release(): void {
    const released = waiters;
    waiters = [];
    for (const resolve of released) resolve();
  }

  function flushed(): void {
    if (isSlow()) return;
    release();
    on.drained();
  }

  socket.on('close', release);
  return {
    send(text) {
      if (socket.readyState !== WebSocket.OPEN) return;
      on.sending();
      socket.send(text, flushed);
      if (socket.bufferedAmount > UNREAD_BYTES_MAX) on.stuck();
    },
    isSlow,
    drained() {
      if (socket.readyState === WebSocket.OPEN && !isSlow()) return Promise.resolve();
      // Never at once when nothing is sent any more: who emits in a loop would keep the hub from hearing of the close.
      if (socket.readyState === WebSocket.CLOSED) return nextTurn();
      return new Promise((resolve) => waiters.push(resolve));
    },
  };
}
