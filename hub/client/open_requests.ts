import { JSONRPCClient } from 'json-rpc-2.0/dist/client.js';
import {
  createJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResponse,
  JSONRPCErrorCode,
  type JSONRPCRequest,
} from 'json-rpc-2.0/dist/models.js';
import type { HubError } from '../base/error.js';

export interface Request {
  method: string;
  /** Called whenever the request is sent, so that a watch continues at its position. */
  params(): object;
  /** Takes the events of the request's stream; no more is read until its promise settles. Null when the request has no stream. */
  onEvent: ((event: unknown) => void | Promise<void>) | null;
  signal: AbortSignal | null;
  /** Whether it is sent again after the connection was lost. */
  resend: boolean;
  /** Whether it alone starts a hub. */
  startsHub: boolean;
}

/** A request that has no answer yet. */
export interface OpenRequest extends Request {
  /** Also the token of its stream. */
  id: NonNullable<JSONRPCRequest['id']>;
  /** How often it has been sent. */
  sent: number;
}

/** The open requests of a client. They outlive the connection that they were sent over. */
export interface OpenRequests {
  /** Opens a request, transmits it at once and returns its answer, which may reject with a JSONRPCErrorException. */
  open(request: Request): { request: OpenRequest; answer: Promise<unknown> };
  all(): OpenRequest[];
  /** Handles a message from the hub: an answer, or an event, whose handler is awaited before more is read. */
  receive(message: unknown): void | Promise<void>;
  /** Fails a request locally. It is closed at once: requests that fail together must not count as open any more. */
  fail(request: OpenRequest, error: HubError): void;
}

/** The package assigns ids and matches answers to requests; this keeps what resending needs. */
export function createOpenRequests(transmit: (request: OpenRequest) => void): OpenRequests {
  const byId = new Map<string, OpenRequest>();
  const rpc = new JSONRPCClient<OpenRequest>(({ id }: JSONRPCRequest, request) => {
    request.id = id ?? '';
    byId.set(String(request.id), request);
    transmit(request);
  });

  async function answerTo(request: OpenRequest): Promise<unknown> {
    try {
      return await rpc.request(request.method, undefined, request);
    } finally {
      byId.delete(String(request.id)); // one that could not be transmitted is still there
    }
  }

  return {
    open(stated) {
      const request: OpenRequest = { ...stated, id: '', sent: 0 };
      return { request, answer: answerTo(request) };
    },
    all: () => [...byId.values()],
    receive(message) {
      if (typeof message !== 'object' || message === null) return;
      if (isJSONRPCRequest(message)) return deliver(message.params, byId);
      if (!isJSONRPCResponse(message)) return;
      byId.delete(String(message.id));
      rpc.receive(message);
    },
    fail(request, error) {
      byId.delete(String(request.id));
      rpc.receive(createJSONRPCErrorResponse(request.id, JSONRPCErrorCode.InternalError, error.message, error));
    },
  };
}

function deliver(params: unknown, byId: ReadonlyMap<string, OpenRequest>): void | Promise<void> {
  if (typeof params !== 'object' || params === null || !('stream' in params) || !('event' in params)) return;
  const request = byId.get(String(params.stream));
  if (request === undefined) return;
  request.sent = 1; // it is being served: a later loss of the connection is not of its making
  return request.onEvent?.(params.event);
}
