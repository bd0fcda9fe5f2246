import { createJSONRPCNotification, createJSONRPCRequest } from 'json-rpc-2.0/dist/models.js';
import { onAbort, throwIfCancelled } from '../base/abort.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { FRAME_BYTES_MAX } from '../protocol/limits.js';
import { refusedFrame } from '../wire/frame_limits.js';
import type { Link } from './link.js';
import { createOpenRequests, type OpenRequest, type Request } from './open_requests.js';
import { createLine, type Line, type LineParts } from './reconnecting_line.js';

/** How often a request is sent again after its connection was lost, before it counts as the cause. */
const RESENDS_MAX = 3;

export interface RequestsParts {
  reconnect: LineParts['reconnect'];
  toError(error: unknown): HubError;
  /** Called when the connection is lost, is back, or cannot be reopened. */
  onChange(state: LineState): void;
}

/** Whether the hub is connected; `inOrder`: it announced its end, and restarts when a client needs it. */
export type LineState = { kind: 'there' } | { kind: 'lost'; inOrder: boolean } | { kind: 'failed'; error: HubError };

export interface Requests {
  send(request: Request): Promise<unknown>;
  close(): Promise<void>;
}

/** Sends requests over a reconnecting line and matches their answers. */
export function createRequests(first: Link, parts: RequestsParts): Requests {
  const requests = createOpenRequests(transmit);
  let isClosed = false;

  const line: Line = createLine(first, {
    reconnect: parts.reconnect,
    onMessage: requests.receive,
    onOpen() {
      for (const request of requests.all()) transmit(request);
      parts.onChange({ kind: 'there' });
    },
    onLost(inOrder) {
      parts.onChange({ kind: 'lost', inOrder });
      for (const request of requests.all()) {
        if (!request.resend || request.sent > RESENDS_MAX) requests.fail(request, connectionLost(request));
      }
      return reconnection(requests.all(), inOrder);
    },
    onFailed(cause) {
      const error = parts.toError(cause);
      parts.onChange({ kind: 'failed', error });
      failAll(error);
    },
  });

  function transmit(request: OpenRequest): void {
    const frame = frameOf(request);
    const refusal = refusalOf(Buffer.from(frame));
    if (refusal !== null) requests.fail(request, refusal);
    else if (line.send(frame)) request.sent += 1;
    else line.restore({ start: request.startsHub });
  }

  function failAll(error: HubError): void {
    for (const request of requests.all()) requests.fail(request, error);
  }

  function cancel(request: OpenRequest): void {
    line.send(JSON.stringify(createJSONRPCNotification('rpc.cancel', { id: request.id })));
    requests.fail(request, new HubError('cancelled', `${request.method} was cancelled`));
    if (requests.all().length === 0) line.giveUp();
  }

  return {
    async send(stated) {
      if (isClosed) throw new HubError('cancelled', 'this client has been closed');
      const { method, signal } = stated;
      if (signal !== null) throwIfCancelled(signal, method);
      const { request, answer } = requests.open(stated);
      const stopListening = signal === null ? null : onAbort(signal, () => cancel(request));
      try {
        return await answer;
      } catch (error) {
        throw parts.toError(error);
      } finally {
        stopListening?.();
      }
    },
    async close() {
      isClosed = true;
      failAll(new HubError('cancelled', 'this client has been closed'));
      await line.close();
    },
  };
}

/** How to look for a hub again; null when nobody waits. */
function reconnection(waiting: readonly OpenRequest[], inOrder: boolean): { start: boolean } | null {
  if (waiting.length === 0) return null;
  // A watch restarts a hub that died, but not one that was ended in order.
  return { start: !inOrder || waiting.some(({ startsHub }) => startsHub) };
}

function frameOf({ id, method, params, onEvent }: OpenRequest): string {
  const stated = onEvent === null ? params() : { ...params(), stream: String(id) };
  return JSON.stringify(createJSONRPCRequest(id, method, stated));
}

/** Why the hub would refuse a frame before reading its call. */
function refusalOf(frame: Buffer): HubError | null {
  if (frame.length <= FRAME_BYTES_MAX) return refusedFrame(frame);
  return new HubError('limit', `the message is too large: ${frame.length} bytes; one may have ${FRAME_BYTES_MAX}`, {
    hint: 'send it in parts, or store it as an output and point at that',
  });
}

function connectionLost({ method, resend, sent }: OpenRequest): HubError {
  const often = sent > 1 ? ` ${sent} times` : '';
  return new HubError('unreachable', `the hub went away${often} before it answered ${method}`, {
    hint: ['run: ', cliCommand('hub logs')],
    retryable: resend,
  });
}
