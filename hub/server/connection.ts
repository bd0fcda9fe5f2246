import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { detach, neverFails } from '../base/detach.js';
import type { Log } from '../base/plugin.js';
import type { Calls } from '../routing/calls_under_way.js';
import { bundler } from '../wire/write_batching.js';
import type { AnswerFrame } from './json_rpc.js';
import { createOutlet } from './send_buffer.js';

/** The most frames of one connection being answered; while there are as many, it is not read from. */
export const UNDER_WAY_MAX = 256;
const CLOSE_GOING_AWAY = 1001;
const CLOSE_UNSUPPORTED = 1003;
const CLOSE_INTERNAL = 1011;

export interface Connection {
  /** Begins nothing more. */
  stopReading(): void;
  /** Closes, telling the caller that the hub is going. */
  goAway(): void;
  terminate(): void;
}

export interface ConnectionParts {
  number: number;
  /** What the socket writes to. */
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
  // What had arrived when reading was paused: at most what one read of the system brings.
  let waiting: Buffer[] = [];
  let underWay = 0;
  let stopped = false;
  const outlet = createOutlet(socket, {
    sending: bundler(stream),
    drained: pump,
    stuck() {
      log('warn', `${name} does not read what it asked for; it is dropped`);
      socket.terminate();
    },
  });
  const peer = { number, send: outlet.send, hasRoom: () => !outlet.isSlow(), drained: outlet.drained };

  async function serve(frame: Buffer): Promise<void> {
    try {
      const text = await answer(frame, peer);
      if (text !== null) outlet.send(text);
    } catch (error) {
      log('error', `${name}: an answer could not be made: ${error instanceof Error ? error.name : typeof error}`);
      socket.close(CLOSE_INTERNAL);
    }
    underWay -= 1;
    pump();
  }

  function pump(): void {
    while (!stopped && underWay < UNDER_WAY_MAX && !outlet.isSlow()) {
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
  // The library closes the connection itself, with the code that tells why.
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
