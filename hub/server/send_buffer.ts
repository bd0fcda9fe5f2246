import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** With more unread bytes than this, a connection starts no further calls and its streams wait. */
export const UNREAD_SLOW_BYTES = 1024 * 1024;
/** The same while all connections together hold much. */
const UNREAD_SLOW_BYTES_TIGHT = 64 * 1024;
/** With more unread bytes than this, the peer counts as stuck and its connection is dropped. */
export const UNREAD_BYTES_MAX = 64 * 1024 * 1024;
/** A larger message goes out in fragments of this size, so that it is seen how far it was read. */
const FRAGMENT_BYTES = 256 * 1024;

/** A message to send: text, or text in parts, of which the large ones are bytes of UTF-8. */
export type Outgoing = string | readonly (string | Uint8Array)[];

/** The sending side of a connection, which knows how far its reader is behind. */
export interface SendBuffer {
  send(message: Outgoing): void;
  /** The bytes that the peer has not read. */
  unread(): number;
  /** Whether the peer is behind with reading. */
  isSlow(): boolean;
  /** Resolves when the peer has caught up, or when the connection has closed. */
  drained(): Promise<void>;
  /** Resolves when everything that was sent is with the system, or when the connection has closed. */
  emptied(): Promise<void>;
}

interface SendBufferParts {
  /** Called before each write. */
  sending(): void;
  /** Called when the number of unread bytes has changed. */
  changed(unread: number): void;
  drained(): void;
  stuck(): void;
  isTight(): boolean;
}

interface Fragment {
  bytes: Uint8Array;
  isLast: boolean;
}

/** Sends on a socket, with bounds on the bytes that queue up for a slow reader. */
export function createSendBuffer(socket: WebSocket, on: SendBufferParts): SendBuffer {
  const catchingUp = createWaiters();
  const emptying = createWaiters();
  let fragments: Fragment[] = [];
  let queuedBytes = 0;

  const unread = (): number => queuedBytes + socket.bufferedAmount;
  const isSlow = (): boolean => unread() > (on.isTight() ? UNREAD_SLOW_BYTES_TIGHT : UNREAD_SLOW_BYTES);

  function flushed(): void {
    sendFragments();
    on.changed(unread());
    if (unread() === 0) emptying.release();
    if (isSlow()) return;
    catchingUp.release();
    on.drained();
  }

  function sendFragments(): void {
    while (fragments.length > 0 && socket.bufferedAmount < FRAGMENT_BYTES && socket.readyState === WebSocket.OPEN) {
      const next = fragments.shift();
      if (next === undefined) return;
      queuedBytes -= next.bytes.length;
      on.sending();
      socket.send(next.bytes, { fin: next.isLast, binary: false }, flushed);
    }
  }

  function queue(parts: readonly (string | Uint8Array)[]): void {
    const pieces = parts.flatMap((part) => piecesOf(typeof part === 'string' ? Buffer.from(part) : part));
    for (const [index, bytes] of pieces.entries()) fragments.push({ bytes, isLast: index === pieces.length - 1 });
    queuedBytes += pieces.reduce((bytes, piece) => bytes + piece.length, 0);
    sendFragments();
  }

  socket.on('close', () => {
    fragments = [];
    queuedBytes = 0;
    catchingUp.release();
    emptying.release();
  });
  return {
    send(message) {
      if (socket.readyState !== WebSocket.OPEN) return;
      if (typeof message === 'string' && message.length < FRAGMENT_BYTES && fragments.length === 0) {
        on.sending();
        socket.send(message, flushed);
      } else queue(typeof message === 'string' ? [message] : message);
      on.changed(unread());
      if (unread() > UNREAD_BYTES_MAX) on.stuck();
    },
    unread,
    isSlow,
    drained() {
      if (socket.readyState === WebSocket.OPEN && !isSlow()) return Promise.resolve();
      // Not at once on a closed socket: a loop that emits would keep the event loop from handling the close.
      if (socket.readyState === WebSocket.CLOSED) return nextTurn();
      return catchingUp.wait();
    },
    emptied() {
      if (unread() === 0 || socket.readyState !== WebSocket.OPEN) return Promise.resolve();
      return emptying.wait();
    },
  };
}

/** Who waits until something has happened. */
function createWaiters() {
  let waiters: (() => void)[] = [];
  return {
    wait: () => new Promise<void>((resolve) => waiters.push(resolve)),
    release(): void {
      const released = waiters;
      waiters = [];
      for (const resolve of released) resolve();
    },
  };
}

function piecesOf(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += FRAGMENT_BYTES) pieces.push(bytes.subarray(at, at + FRAGMENT_BYTES));
  return pieces;
}
