import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { FRAME_BYTES_MAX } from '../protocol/limits.js';
import { refusedFrame } from '../wire/frame_limits.js';
import type { Link } from './link.js';
import { createLine, type Line, type LineParts } from './reconnecting_line.js';

/** How often a request is sent again after its connection was lost, before it is taken for the cause. */
const RESENDS_MAX = 3;

export interface Request {
  method: string;
  /** Made anew whenever it is sent, so that a watch goes on where it was. */
  params(): object;
  /** Takes the events of its stream, and reads no further while it is at it; null when it has none. */
  onEvent: ((event: unknown) => void | Promise<void>) | null;
  signal: AbortSignal | null;
  /** Whether it is sent again after the connection was lost. */
  resend: boolean;
  /** Whether it alone is reason enough to start a hub. */
  startsHub: boolean;
}

export interface RequestsParts {
  reconnect: LineParts['reconnect'];
  toError(error: unknown): HubError;
  /** Told when the connection is lost, when it is there again, and when none can be made. */
  onChange(state: LineState): void;
}

/** Whether a hub is there; `inOrder`: it said that it would go, and comes back when somebody needs it. */
export type LineState = { kind: 'there' } | { kind: 'lost'; inOrder: boolean } | { kind: 'failed'; error: HubError };

export interface Requests {
  send(request: Request): Promise<unknown>;
  close(): Promise<void>;
}

interface Entry extends Request {
  id: number;
  sent: number;
  resolve(result: unknown): void;
  reject(error: HubError): void;
}

type Pending = Map<number, Entry>;

/** Sends requests over a connection that may break and be made anew, and brings each its answer. */
export function createRequests(first: Link, parts: RequestsParts): Requests {
  const pending: Pending = new Map();
  let lastId = 0;
  let isClosed = false;

  const line: Line = createLine(first, {
    reconnect: parts.reconnect,
    onMessage: (message) => receive(message, pending, parts.toError),
    onOpen() {
      for (const entry of pending.values()) transmit(entry);
      parts.onChange({ kind: 'there' });
    },
    onLost(inOrder) {
      parts.onChange({ kind: 'lost', inOrder });
      for (const entry of pending.values()) {
        if (!entry.resend || entry.sent > RESENDS_MAX) entry.reject(brokenOff(entry));
      }
      if (pending.size === 0) return null;
      // A hub that died is wanted back by a watch as well; one that was ended in order is not.
      return { start: !inOrder || [...pending.values()].some((entry) => entry.startsHub) };
    },
    onFailed: (error) => failAll(noHub(parts, error)),
  });

  function transmit(entry: Entry): void {
    const frame = frameOf(entry);
    const refusal = refusalOf(Buffer.from(frame));
    if (refusal !== null) entry.reject(refusal);
    else if (line.send(frame)) entry.sent += 1;
    else line.restore({ start: entry.startsHub });
  }

  function failAll(error: HubError): void {
    for (const entry of pending.values()) entry.reject(error);
  }

  function abandon(entry: Entry): void {
    line.send(JSON.stringify({ jsonrpc: '2.0', method: 'rpc.cancel', params: { id: entry.id } }));
    entry.reject(new HubError('cancelled', `${entry.method} was cancelled`));
    if (pending.size === 0) line.giveUp();
  }

  return {
    async send(request) {
      if (isClosed) throw new HubError('cancelled', 'this client has been closed');
      if (request.signal?.aborted) throw new HubError('cancelled', `${request.method} was cancelled`);
      lastId += 1;
      const id = lastId;
      return answerTo(request, id, {
        entered(entry) {
          pending.set(id, entry);
          transmit(entry);
        },
        left: () => pending.delete(id),
        abandoned: abandon,
      });
    },
    async close() {
      isClosed = true;
      failAll(new HubError('cancelled', 'this client has been closed'));
      await line.close();
    },
  };
}

function noHub({ toError, onChange }: RequestsParts, cause: unknown): HubError {
  const error = toError(cause);
  onChange({ kind: 'failed', error });
  return error;
}

interface Stages {
  entered(entry: Entry): void;
  left(): void;
  abandoned(entry: Entry): void;
}

/** Waits for the answer to a request, or for its signal. */
async function answerTo(request: Request, id: number, on: Stages): Promise<unknown> {
  let stop = (): void => undefined;
  try {
    return await new Promise<unknown>((resolve, reject) => {
      // Out of the list at once: who is told of a loss together must not count as waiting any more.
      const fail = (error: HubError): void => {
        on.left();
        reject(error);
      };
      const entry: Entry = { ...request, id, sent: 0, resolve, reject: fail };
      stop = () => on.abandoned(entry);
      request.signal?.addEventListener('abort', stop, { once: true });
      on.entered(entry);
    });
  } finally {
    on.left();
    request.signal?.removeEventListener('abort', stop);
  }
}

function frameOf({ id, method, params, onEvent }: Entry): string {
  const stated = onEvent === null ? params() : { ...params(), stream: String(id) };
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: stated });
}

function receive(message: unknown, pending: Pending, toError: RequestsParts['toError']): void | Promise<void> {
  if (typeof message !== 'object' || message === null) return;
  if ('method' in message && 'params' in message) return deliver(message.params, pending);
  const entry = 'id' in message ? pending.get(Number(message.id)) : undefined;
  if ('error' in message) entry?.reject(toError(message.error));
  else if ('result' in message) entry?.resolve(message.result);
}

/** Hands an event to whom it is for; what that returns is waited for before more is read. */
function deliver(params: unknown, pending: Pending): void | Promise<void> {
  if (typeof params !== 'object' || params === null || !('stream' in params) || !('event' in params)) return;
  const entry = pending.get(Number(params.stream));
  if (entry === undefined) return;
  entry.sent = 1; // it is being served: a later loss of the connection is not of its making
  return entry.onEvent?.(params.event);
}

/** Why the hub would take a frame for no call at all. */
function refusalOf(frame: Buffer): HubError | null {
  if (frame.length <= FRAME_BYTES_MAX) return refusedFrame(frame);
  return tooLarge(frame.length);
}

function tooLarge(sizeBytes: number): HubError {
  return new HubError('limit', `the message is too large: ${sizeBytes} bytes; one may have ${FRAME_BYTES_MAX}`, {
    hint: 'send it in parts, or store it as an output and point at that',
  });
}

function brokenOff({ method, resend, sent }: Entry): HubError {
  const often = sent > 1 ? ` ${sent} times` : '';
  return new HubError('unreachable', `the hub went away${often} before it answered ${method}`, {
    hint: ['run: ', cliCommand('hub logs')],
    retryable: resend,
  });
}
