import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { detach, neverFails } from '../base/detach.js';
import type { Log } from '../base/plugin.js';
import type { Calls } from '../routing/calls_under_way.js';
import { createWriteBatcher } from '../wire/write_batching.js';
import type { AnswerFrame } from './json_rpc.js';
import { createSendBuffer } from './send_buffer.js';

/** The most frames of one connection that are answered at once; at that number, reading pauses. */
export const UNDER_WAY_MAX = 256;
const CLOSE_GOING_AWAY = 1001;
const CLOSE_UNSUPPORTED = 1003;
const CLOSE_INTERNAL = 1011;

export interface Connection {
  /** Starts no further calls. */
  stopReading(): void;
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
  log: Log;
}

/** Serves one WebSocket until it closes. */
export function serveConnection(
  socket: WebSocket,
  { number, stream, answer, calls, log }: ConnectionParts,
): Connection {
  const name = `connection ${number}`;
  // Frames that arrived before reading was paused: at most one read of the system.
  let waiting: Buffer[] = [];
  let underWay = 0;
  let stopped = false;
  const sendBuffer = createSendBuffer(socket, {
    sending: createWriteBatcher(stream),
    drained: pump,
    stuck() {
      log('warn', `${name} does not read what it asked for; it is dropped`);
      socket.terminate();
    },
  });
  const peer = { number, send: sendBuffer.send, hasRoom: () => !sendBuffer.isSlow(), drained: sendBuffer.drained };

  async function serve(frame: Buffer): Promise<void> {
    try {
      const text = await answer(frame, peer);
      if (text !== null) sendBuffer.send(text);
    } catch (error) {
      log('error', `${name}: an answer could not be made: ${error instanceof Error ? error.name : typeof error}`);
      socket.close(CLOSE_INTERNAL);
    }
    underWay -= 1;
    pump();
  }

  function pump(): void {
    while (!stopped && underWay < UNDER_WAY_MAX && !sendBuffer.isSlow()) {
      const frame = waiting.shift();
      if (frame === undefined) break;
      underWay += 1;
      detach(serve(frame), neverFails);
    }
    if (waiting.length > 0) socket.pause();
    else if (socket.isPaused) socket.resume();
  }

  function stopReading(): void {
    stopped = true;
    waiting = [];
  }

  socket.on('message', (data, isBinary) => {
    if (isBinary) return socket.close(CLOSE_UNSUPPORTED, 'text frames only');
    if (stopped || !Buffer.isBuffer(data)) return;
    waiting.push(data);
    pump();
  });
  // The library closes the connection itself, with the matching code.
  socket.on('error', (error) => log('warn', `${name}: ${error.message}`));
  socket.on('close', () => {
    stopReading();
    calls.callerGone(number);
  });
  return {
    stopReading,
    goAway: () => socket.close(CLOSE_GOING_AWAY, 'the hub is ending'),
    terminate: () => socket.terminate(),
  };
}
