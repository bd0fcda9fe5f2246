import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { noteGarbage } from '../base/memory/free_garbage.js';
import type { Log } from '../base/plugin.js';
import type { Calls } from '../routing/calls_under_way.js';
import { LARGE_BYTES } from '../wire/large_json.js';
import { createWriteBatcher } from '../wire/write_batching.js';
import { createFrameMeter } from './frame_meter.js';
import { createFrameQueue, type FrameTurns } from './frame_queue.js';
import type { HeldBytes } from './held_bytes.js';
import type { AnswerFrame, Peer } from './json_rpc.js';
import { createSendBuffer } from './send_buffer.js';
import type { TurnQueue } from './turn_queue.js';

const CLOSE_GOING_AWAY = 1001;
const CLOSE_UNSUPPORTED = 1003;
const CLOSE_POLICY = 1008;
const CLOSE_INTERNAL = 1011;

export interface Connection {
  /** Starts no further calls. */
  stopReading(): void;
  /** Resolves when everything that was sent is with the system, or the connection has closed. */
  emptied(): Promise<void>;
  /** Closes with the code that says that the hub is ending. */
  goAway(): void;
  terminate(): void;
}

export interface ConnectionParts {
  number: number;
  /** The stream below the socket. */
  stream: Duplex;
  answer: AnswerFrame;
  calls: Calls;
  turns: TurnQueue;
  held: HeldBytes;
  /** Whether this connection is of one of the hub's own processes. */
  isTrusted(): boolean;
  log: Log;
}

/** Serves one WebSocket until it closes. */
export function serveConnection(socket: WebSocket, parts: ConnectionParts): Connection {
  const { number, stream, answer, calls, turns, held, isTrusted, log } = parts;
  const name = `connection ${number}`;
  let isHeldBack = false;

  const meter = createFrameMeter();
  const sendBuffer = createSendBuffer(socket, {
    sending: createWriteBatcher(stream),
    changed,
    drained: () => frames.proceed(),
    stuck: () => drop('does not read what it asked for'),
    isTight: held.isTight,
  });
  const hasRoom = (): boolean => !sendBuffer.isSlow();
  const peer = { number, send: sendBuffer.send, hasRoom, drained: sendBuffer.drained };
  const serve = frameServing(socket, { answer, peer, onError: (what) => log('error', `${name}: ${what}`) });
  const frames = createFrameQueue({ connection: number, turns, isUrgent: isTrusted, hasRoom, serve, changed });
  const account = held.open({ isTrusted, holdBack, drop });

  function holdBack(isOn: boolean): void {
    isHeldBack = isOn;
    readOrPause();
  }

  function readOrPause(): void {
    if (frames.isWaiting() || isHeldBack) socket.pause();
    else if (socket.isPaused) socket.resume();
  }

  function changed(): void {
    account.hold({ arriving: meter.arriving(), answering: frames.bytes(), unread: sendBuffer.unread() });
    readOrPause();
  }

  /** Says why, if it reads. */
  function drop(reason: string): void {
    log('warn', `${name} ${reason}; it is dropped`);
    const isReading = sendBuffer.unread() === 0;
    leave();
    socket.close(CLOSE_POLICY, reason);
    if (isReading) stream.end(() => socket.terminate());
    else socket.terminate();
  }

  function leave(): void {
    frames.stop();
    account.close();
  }

  // Before the library takes them: a message that ends here arrives no more.
  stream.prependListener('data', (bytes: Buffer) => {
    meter.take(bytes);
    changed();
  });
  socket.on('message', (data, isBinary) => {
    if (isBinary) socket.close(CLOSE_UNSUPPORTED, 'text frames only');
    else if (Buffer.isBuffer(data)) frames.push(data);
  });
  // The library closes the connection itself, with the matching code.
  socket.on('error', (error) => log('warn', `${name}: ${error.message}`));
  socket.on('close', leave);
  socket.on('close', () => calls.callerGone(number));
  return {
    stopReading: frames.stop,
    emptied: sendBuffer.emptied,
    goAway: () => socket.close(CLOSE_GOING_AWAY, 'the hub is ending'),
    terminate: () => socket.terminate(),
  };
}

interface ServingParts {
  answer: AnswerFrame;
  peer: Omit<Peer, keyof FrameTurns>;
  onError(what: string): void;
}

function frameServing(socket: WebSocket, { answer, peer, onError }: ServingParts) {
  return async (frame: Buffer, turns: FrameTurns): Promise<void> => {
    try {
      const message = await answer(frame, { ...peer, ...turns });
      if (message !== null) peer.send(message);
    } catch (error) {
      onError(`an answer could not be made: ${error instanceof Error ? error.name : typeof error}`);
      socket.close(CLOSE_INTERNAL);
    } finally {
      if (frame.length > LARGE_BYTES) setImmediate(noteGarbage, frame.length);
    }
  };
}
