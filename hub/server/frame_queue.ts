import { detach, neverFails } from '../base/detach.js';
import { LARGE_BYTES } from '../wire/large_json.js';
import type { Peer } from './json_rpc.js';
import type { TurnQueue } from './turn_queue.js';

/** The most calls of one connection that are answered at once; at that number, reading pauses. */
export const UNDER_WAY_MAX = 256;
/** The most bytes of its frames that are answered at once, but always one. */
const UNDER_WAY_BYTES_MAX = 8 * 1024 * 1024;

/** How a frame's answer takes its turns. */
export type FrameTurns = Pick<Peer, 'callsBegin' | 'nextTurn' | 'isParsed' | 'runsOn'>;

interface FrameQueueParts {
  connection: number;
  turns: TurnQueue;
  /** Whether its frames wait for no large one of others. */
  isUrgent(): boolean;
  /** Whether the caller reads what it is answered. */
  hasRoom(): boolean;
  /** Answers a frame; never rejects. */
  serve(frame: Buffer, turns: FrameTurns): Promise<void>;
  /** Called when frames have begun to wait or wait no more, or when their bytes have changed. */
  changed(): void;
}

/** The frames of one connection, answered in their order, a bounded number and size of them at once. */
export interface FrameQueue {
  push(frame: Buffer): void;
  /** Answers what has waited for room. */
  proceed(): void;
  /** Begins nothing more. */
  stop(): void;
  isWaiting(): boolean;
  /** The bytes of frames that have not been answered. */
  bytes(): number;
}

export function createFrameQueue({ connection, turns, changed, ...parts }: FrameQueueParts): FrameQueue {
  // Frames that arrived before reading was paused: at most one read of the system.
  let waiting: Buffer[] = [];
  const held = { calls: 0, bytes: 0, bytesUnderWay: 0 };
  let isStopped = false;
  /** A large one that is being parsed: no later one may overtake it. */
  let parsing: Buffer | null = null;

  const mayBegin = (frame: Buffer): boolean => parsing === null && parts.hasRoom() && fits(frame, held);
  const nextTurn = (): Promise<boolean> => awaitTurn(turns, connection).then(() => !isStopped);

  function begin(frame: Buffer): void {
    held.calls += 1;
    held.bytesUnderWay += frame.length;
    if (frame.length > LARGE_BYTES) parsing = frame;
    const begin = (): void => detach(serve(), neverFails);
    const turn = { connection, bytes: frame.length, isUrgent: parts.isUrgent(), begin };
    let calls = 1;
    const letGo = once(() => {
      held.bytes -= frame.length;
      held.bytesUnderWay -= frame.length;
      turns.release(turn);
      changed();
    });
    const serve = async (): Promise<void> => {
      const isParsed = (): void => {
        if (parsing === frame) parsing = null;
        proceed();
      };
      const callsBegin = (count: number): void => {
        held.calls += count - calls;
        calls = count;
      };
      if (!isStopped) await parts.serve(frame, { callsBegin, nextTurn, isParsed, runsOn: letGo });
      held.calls -= calls;
      letGo();
      isParsed();
    };
    turns.push(turn);
  }

  function proceed(): void {
    for (let [frame] = waiting; frame !== undefined && mayBegin(frame); [frame] = waiting) {
      waiting.shift();
      begin(frame);
    }
    changed();
  }

  return {
    push(frame) {
      if (isStopped) return;
      waiting.push(frame);
      held.bytes += frame.length;
      proceed();
    },
    proceed,
    stop() {
      isStopped = true;
      held.bytes -= sizeOf(waiting);
      waiting = [];
    },
    isWaiting: () => waiting.length > 0,
    bytes: () => held.bytes,
  };
}

function fits(frame: Buffer, { calls, bytesUnderWay }: { calls: number; bytesUnderWay: number }): boolean {
  if (calls >= UNDER_WAY_MAX) return false;
  return bytesUnderWay === 0 || bytesUnderWay + frame.length <= UNDER_WAY_BYTES_MAX;
}

/** The turn of one call of a frame with several. */
function awaitTurn(turns: TurnQueue, connection: number): Promise<void> {
  return new Promise((resolve) => turns.push({ connection, bytes: 0, isUrgent: true, begin: resolve }));
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

function sizeOf(frames: readonly Buffer[]): number {
  return frames.reduce((bytes, frame) => bytes + frame.length, 0);
}
