import type { WebSocket } from 'ws';
import type { Link } from './link.js';

const CLOSED_BY_US = 1000;
const CLOSED_IN_ORDER = 1001;

export interface LineParts {
  /** Makes a new connection; with `start`, also by starting a hub. */
  reconnect(wanted: { start: boolean; signal: AbortSignal }): Promise<Link>;
  /** Nothing more is read until what it returns is done. */
  onMessage(message: unknown): void | Promise<void>;
  /** Called when a new connection is open. */
  onOpen(): void;
  /** Called when the connection is lost, `inOrder` when the hub announced its end. The result asks for a reconnection. */
  onLost(inOrder: boolean): { start: boolean } | null;
  /** Called when no new connection can be opened. */
  onFailed(error: unknown): void;
}

/** A connection that is reopened when it breaks. */
export interface Line {
  /** False while there is no connection. */
  send(text: string): boolean;
  /** Opens a connection unless an equivalent attempt is running. */
  restore(wanted: { start: boolean }): void;
  /** Cancels the running attempt. */
  giveUp(): void;
  close(): Promise<void>;
}

interface ReconnectAttempt {
  start: boolean;
  abort: AbortController;
}

/** Maintains a connection that the caller opened. */
export function createLine(first: Link, parts: LineParts): Line {
  let link: Link | null = null;
  let attempt: ReconnectAttempt | null = null;
  let isClosed = false;

  function adopt(opened: Link): void {
    link = opened;
    const hold = createReadHold(opened.socket);
    opened.socket.on('message', (data) => {
      const message = parse(String(data));
      if (message === null) opened.socket.terminate();
      else hold(parts.onMessage(message));
    });
    opened.socket.once('close', (code) => {
      if (link !== opened) return;
      link = null;
      const wanted = parts.onLost(code === CLOSED_IN_ORDER);
      if (wanted !== null) restore(wanted);
    });
  }

  function restore({ start }: { start: boolean }): void {
    // An attempt that only looks for a hub is replaced by one that may start it.
    if (isClosed || (attempt !== null && (attempt.start || !start))) return;
    attempt?.abort.abort();
    const mine: ReconnectAttempt = { start, abort: new AbortController() };
    attempt = mine;
    const isCurrent = (): boolean => attempt === mine;
    parts.reconnect({ start, signal: mine.abort.signal }).then(
      (opened) => {
        if (!isCurrent()) return opened.socket.terminate();
        attempt = null;
        adopt(opened);
        parts.onOpen();
      },
      (error: unknown) => {
        if (!isCurrent()) return;
        attempt = null;
        parts.onFailed(error);
      },
    );
  }

  function giveUp(): void {
    attempt?.abort.abort();
    attempt = null;
  }

  adopt(first);
  return {
    send(text) {
      link?.send(text);
      return link !== null;
    },
    restore,
    giveUp,
    async close() {
      isClosed = true;
      giveUp();
      const open = link;
      link = null;
      if (open !== null) await closeSocket(open.socket);
    },
  };
}

/** Pauses reading while a handler is busy, so that a slow reader slows the sender down. */
function createReadHold(socket: WebSocket): (work: void | Promise<void>) => void {
  let underWay = 0;
  const done = (): void => {
    underWay -= 1;
    if (underWay === 0) socket.resume();
  };
  return (work) => {
    // A connection that is being closed is read to its end.
    if (!(work instanceof Promise) || socket.readyState !== socket.OPEN) return;
    underWay += 1;
    socket.pause();
    work.then(done, done);
  };
}

function closeSocket(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.close(CLOSED_BY_US);
    socket.resume(); // a slow reader may have paused it
  });
}

/** Null when it is not JSON, which no hub sends. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // the caller drops the connection
  }
}
