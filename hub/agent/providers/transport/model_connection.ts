import { onAbort } from '../../../base/abort.js';
import type { Route } from '../../../protocol/turn.js';
import { ANSWER_BYTES_MAX, EVENT_BYTES_MAX } from '../../model/provider.js';
import type { Timers } from '../../model/timers.js';
import { routedFetch } from './routed_fetch.js';
import { type Framing, wholeEvents, wholeMessages } from './whole_events.js';

export const OWN_HEADERS = {
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'cognition',
};

const DONE = /data: ?\[DONE\]\s*$/;
const TAIL_BYTES = 32;

/** Why a connection was ended from this side. */
export type Ending = 'cancelled' | 'idle' | 'answer_too_long' | 'event_too_long';

/** The watched connection of one request: it ends when the caller cancels, when nothing comes, or when too much comes. */
export interface ModelConnection {
  /** For the SDK, instead of the global `fetch`. */
  fetch: typeof fetch;
  signal: AbortSignal;
  /** Null unless it was ended from this side. */
  ending(): Ending | null;
  /** The content type of the answer; null before the server answers. */
  contentType(): string | null;
  /** Whether the last bytes said that nothing follows, as OpenAI's servers do. */
  isDone(): boolean;
  /** Counts silence from now on; while the consumer is busy, it does not count. */
  wait(): void;
  /** Ends it after this time, whatever still comes. */
  waitAtMost(limitMs: number): void;
  pause(): void;
  /** Ends it because the answer is more than can be stored; returns what to throw. */
  tooLong(): Error;
  /** Ends it whatever state it is in. */
  close(): void;
}

/** The headers of a request, apart from those that every request has. */
export type ServerHeaders = Readonly<Record<string, string>>;

interface Watched {
  timers: Timers;
  signal: AbortSignal;
  /** Null leaves them to the SDK, which has signed them. */
  headers: ServerHeaders | null;
  /** How long the server may be silent. */
  idleMs: number;
  framing: Framing;
  route: Route;
}

export function watchConnection({ timers, signal: caller, headers, idleMs, framing, route }: Watched): ModelConnection {
  const controller = new AbortController();
  const send = routedFetch(route);
  let why: Ending | null = null;
  let contentType: string | null = null;
  let tail = '';
  let stopTimer: (() => void) | null = null;
  let isSilenceCounted = false;
  const end = (reason: Ending): void => {
    why ??= reason;
    controller.abort();
  };
  const pause = (): void => {
    stopTimer?.();
    stopTimer = null;
  };
  const waitAtMost = (limitMs: number): void => {
    pause();
    isSilenceCounted = false;
    stopTimer = timers.startTimer(limitMs, () => end('idle'));
  };
  const wait = (): void => {
    waitAtMost(idleMs);
    isSilenceCounted = true;
  };
  const onBytes = (chunk?: Uint8Array): void => {
    if (chunk !== undefined)
      tail = (tail + Buffer.from(chunk.slice(-TAIL_BYTES)).toString('latin1')).slice(-TAIL_BYTES);
    if (stopTimer !== null && isSilenceCounted) wait();
  };
  const stopListening = onAbort(caller, () => end('cancelled'));
  return {
    signal: controller.signal,
    ending: () => why,
    contentType: () => contentType,
    isDone: () => DONE.test(tail),
    wait,
    waitAtMost,
    pause,
    fetch: async (input, init) => {
      // An SDK adds headers that it finds in the environment, and those of the machine. A redirect would take the
      // conversation to an address that nobody chose.
      contentType = null;
      const sent = headers === null ? {} : { headers: { ...OWN_HEADERS, ...headers } };
      const response = await send(input, { ...init, ...sent, redirect: 'manual' });
      onBytes();
      contentType =
        (response.headers.get('content-type') ?? '').replace(/[^\w/+;= .-]/g, '').slice(0, 100) || 'nothing';
      return limitedResponse(response, { onBytes, end, framing });
    },
    tooLong() {
      end('answer_too_long');
      return new Error('the answer is too long');
    },
    close() {
      pause();
      stopListening();
      controller.abort();
    },
  };
}

interface ResponseLimits {
  onBytes(chunk: Uint8Array): void;
  end(why: Ending): void;
  framing: Framing;
}

/** The same response, each chunk of which is a sign of life and counts against the limits. */
function limitedResponse(response: Response, { onBytes, end, framing }: ResponseLimits): Response {
  if (response.body === null) return response;
  let total = 0;
  const isBinary = /eventstream/.test(response.headers.get('content-type') ?? '');
  const events = isBinary ? wholeMessages() : wholeEvents(framing);
  const measure = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      onBytes(chunk);
      total += chunk.length;
      const whole = events.add(chunk);
      if (total > ANSWER_BYTES_MAX || events.heldBytes() > EVENT_BYTES_MAX) {
        // The reader must see it too: the abort alone does not reach a body that is awaited.
        out.error(new Error('too many bytes'));
        end(total > ANSWER_BYTES_MAX ? 'answer_too_long' : 'event_too_long');
      } else if (whole !== null) out.enqueue(whole);
    },
    flush(out) {
      if (events.heldBytes() > 0) out.enqueue(events.rest());
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(measure), { status, statusText, headers });
}
