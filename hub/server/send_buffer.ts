import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** With more unread bytes than this, a connection starts no further calls and its streams wait. */
export const UNREAD_SLOW_BYTES = 1024 * 1024;
/** With more unread bytes than this, the peer counts as stuck and its connection is dropped. */
export const UNREAD_BYTES_MAX = 64 * 1024 * 1024;

/** The sending side of a connection, which knows how far its reader is behind. */
export interface SendBuffer {
  send(text: string): void;
  /** Whether the peer is behind with reading. */
  isSlow(): boolean;
  /** Resolves when the peer has caught up, or when the connection has closed. */
  drained(): Promise<void>;
}

interface SendBufferEvents {
  /** Called before each write. */
  sending(): void;
  drained(): void;
  stuck(): void;
}

/** Sends on a socket, with bounds on the bytes that queue up for a slow reader. */
export function createSendBuffer(socket: WebSocket, on: SendBufferEvents): SendBuffer {
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
      // Not at once on a closed socket: a loop that emits would keep the event loop from handling the close.
      if (socket.readyState === WebSocket.CLOSED) return nextTurn();
      return new Promise((resolve) => waiters.push(resolve));
    },
  };
}
