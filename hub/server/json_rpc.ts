import type { JSONRPCErrorResponse, JSONRPCID, JSONRPCRequest, JSONRPCResponse } from 'json-rpc-2.0';
import { createJSONRPCErrorResponse, createJSONRPCSuccessResponse, JSONRPCServer } from 'json-rpc-2.0';
import { HubError } from '../base/error.js';
import { RawJson } from '../base/plugin.js';
import { ERROR_CODES } from '../protocol/errors.js';
import { BATCH_MAX, FRAME_BYTES_MAX } from '../protocol/limits.js';
import type { Calls } from '../routing/calls_under_way.js';
import type { Hub } from '../routing/hub.js';
import { refusedFrame } from '../wire/frame_limits.js';
import { LARGE_BYTES, parseInSteps } from '../wire/large_json.js';
import type { Outgoing } from './send_buffer.js';

/** The parts of a connection that answering its messages needs. */
export interface Peer {
  number: number;
  /** Sends a message now, ahead of the answer under way. */
  send(message: Outgoing): void;
  hasRoom(): boolean;
  drained(): Promise<void>;
  /** Notes that a frame had so many calls; each of them waits for its turn. */
  callsBegin(count: number): void;
  /** False when nothing more is begun. */
  nextTurn(): Promise<boolean>;
  /** Notes that a large frame has been parsed: the next one of its connection may be begun. */
  isParsed(): void;
  /** Notes that a call of this frame may run for long: what it was asked with is kept by nobody. */
  runsOn(): void;
}

/** Answers one frame: what to send back, or null for no answer. It never rejects. */
export type AnswerFrame = (frame: Buffer, peer: Peer) => Promise<Outgoing | null>;

/** Speaks JSON-RPC 2.0 for a hub. */
export function createRpc({ hub, calls }: { hub: Hub; calls: Calls }): AnswerFrame {
  const server = new JSONRPCServer<Peer>({
    errorListener: () => undefined, // the hub logs unexpected failures itself
  });
  server.mapErrorToJSONRPCErrorResponse = errorResponse;
  const serve = serveWith(hub, calls);
  for (const method of hub.methodNames()) server.addMethodAdvanced(method, serve);
  // An unknown method goes to the hub as well, which suggests the nearest name.
  server.applyMiddleware((next, request, peer) =>
    server.hasMethod(request.method) ? next(request, peer) : serve(request, peer),
  );

  return async (frame, peer) => {
    const refused = refusedFrame(frame);
    if (refused !== null) return print(errorResponse(null, refused));
    const message = await parse(frame, peer);
    if (message instanceof HubError) return print(errorResponse(null, message));
    if (!Array.isArray(message)) {
      const response = await answerOne(server, message, peer);
      return response === null ? null : fitToFrame(print(response), response.id);
    }
    const refusal = refusedBatch(message);
    if (refusal !== null) return print(errorResponse(null, refusal));
    return answerBatch(server, message, peer);
  };
}

/** Each call of a batch takes its turn, and answers that fit no frame are not kept. */
async function answerBatch(
  server: JSONRPCServer<Peer>,
  batch: readonly unknown[],
  peer: Peer,
): Promise<Outgoing | null> {
  let answers: Outgoing[] = Array.from(batch, () => '');
  let bytes = 0;
  peer.callsBegin(batch.length);
  let isStopped = false;
  const answerAt = async (index: number): Promise<void> => {
    if (!(await peer.nextTurn())) isStopped = true;
    if (isStopped) return;
    const response = await answerOne(server, batch[index], peer);
    if (response === null) return;
    const answer = print(response);
    bytes += bytesOf(answer) + 1;
    if (bytes > FRAME_BYTES_MAX) answers = [];
    else answers[index] = answer;
  };
  await Promise.all(Array.from(batch.keys(), answerAt));
  if (isStopped) return null;
  if (bytes > FRAME_BYTES_MAX) return print(errorResponse(null, answerTooLarge()));
  const parts = answers.filter((answer) => answer.length > 0).flatMap((answer) => [',', answer].flat());
  return parts.length === 0 ? null : ['[', ...parts.slice(1), ']'];
}

function serveWith(hub: Hub, calls: Calls) {
  return async (request: JSONRPCRequest, peer: Peer): Promise<JSONRPCResponse | null> => {
    const stream = streamOf(request.params);
    const { id = null, method } = request;
    if (stream !== null) peer.runsOn();
    const call = calls.begin({ connection: peer.number, id, method, stream, detached: isDetached(request.params) });
    const reply = { answered: false };
    try {
      const result = await hub.callRaw(request.method, request.params, {
        signal: call.signal,
        caller: { kind: 'client', connection: peer.number },
        emit: stream === null ? () => undefined : emitter(stream, reply, peer),
        hasRoom: () => peer.hasRoom(),
        drained: () => peer.drained(),
      });
      return request.id === undefined ? null : createJSONRPCSuccessResponse(request.id, result);
    } finally {
      reply.answered = true;
      call.end();
    }
  };
}

function emitter(stream: string, reply: { answered: boolean }, peer: Peer) {
  const head = `{"jsonrpc":"2.0","method":"stream.event","params":{"stream":${JSON.stringify(stream)},"seq":`;
  let seq = 0;
  return (event: object | RawJson): void => {
    if (reply.answered) return;
    seq += 1;
    peer.send(`${head}${seq},"event":${event instanceof RawJson ? event.text : JSON.stringify(event)}}}`);
  };
}

function streamOf(params: unknown): string | null {
  if (typeof params !== 'object' || params === null || !('stream' in params)) return null;
  return typeof params.stream === 'string' ? params.stream : null;
}

function isDetached(params: unknown): boolean {
  return typeof params === 'object' && params !== null && 'detached' in params && params.detached === true;
}

async function parse(frame: Buffer, { nextTurn, isParsed }: Peer): Promise<unknown> {
  try {
    if (frame.length <= LARGE_BYTES) return JSON.parse(frame.toString('utf8'));
    // Its call is begun before the next immediate, so nothing that came after it overtakes it.
    return await parseInSteps(frame, nextTurn).finally(() => setImmediate(isParsed));
  } catch (error) {
    return new HubError('parse', 'the message is not JSON', {
      hint: 'send one JSON-RPC 2.0 message per frame',
      cause: error,
    });
  }
}

function refusedBatch(batch: readonly unknown[]): HubError | null {
  if (batch.length === 0)
    return new HubError('invalid_request', 'the batch is empty', { hint: 'put at least one call into it' });
  if (batch.length <= BATCH_MAX) return null;
  return new HubError('limit', `a batch has at most ${BATCH_MAX} calls, not ${batch.length}`, {
    hint: 'send several batches',
  });
}

async function answerOne(server: JSONRPCServer<Peer>, message: unknown, peer: Peer): Promise<JSONRPCResponse | null> {
  const request = requestOf(message);
  if (request instanceof HubError) return errorResponse(idOf(message), request);
  return server.receive(request, peer);
}

function requestOf(message: unknown): JSONRPCRequest | HubError {
  const wrong = (problem: string) =>
    new HubError('invalid_request', problem, {
      hint: 'send {"jsonrpc": "2.0", "id": …, "method": "…", "params": {…}}',
    });
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return wrong('the message is not an object');
  if (!('jsonrpc' in message) || message.jsonrpc !== '2.0') return wrong('the message is not of "jsonrpc": "2.0"');
  if (!('method' in message) || typeof message.method !== 'string') return wrong('the message names no method');
  if ('id' in message && !isId(message.id))
    return wrong('the id is neither a string of at most 200 characters nor a number');
  const params = 'params' in message ? message.params : undefined;
  if (params !== undefined && (typeof params !== 'object' || params === null))
    return wrong('the params are not an object');
  return {
    jsonrpc: '2.0',
    method: message.method,
    ...(params === undefined ? {} : { params }),
    ...('id' in message && isId(message.id) ? { id: message.id } : {}),
  };
}

function isId(id: unknown): id is JSONRPCID {
  return id === null || Number.isFinite(id) || (typeof id === 'string' && id.length <= 200);
}

function idOf(message: unknown): JSONRPCID {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null;
  return isId(message.id) ? message.id : null;
}

function errorResponse(id: JSONRPCID, error: unknown): JSONRPCErrorResponse {
  const hubError =
    error instanceof HubError ? error : new HubError('internal', 'the hub failed unexpectedly', { cause: error });
  return createJSONRPCErrorResponse(id, ERROR_CODES[hubError.kind], hubError.message, hubError.data);
}

/** The answer itself, or an error when it exceeds a frame. */
function fitToFrame(answer: Outgoing, id: JSONRPCID): Outgoing {
  // A UTF-16 unit takes at most three bytes, so that most answers need not be counted.
  if (typeof answer === 'string' && answer.length * 3 <= FRAME_BYTES_MAX) return answer;
  return bytesOf(answer) <= FRAME_BYTES_MAX ? answer : print(errorResponse(id, answerTooLarge()));
}

function answerTooLarge(): HubError {
  return new HubError('limit', `the answer is larger than the ${FRAME_BYTES_MAX} bytes of a frame`, {
    hint: 'ask for less at a time: use a smaller limit, or smaller batches',
  });
}

function bytesOf(answer: Outgoing): number {
  const parts = typeof answer === 'string' ? [answer] : answer;
  return parts.reduce((bytes, part) => bytes + Buffer.byteLength(part), 0);
}

function print(response: JSONRPCResponse): Outgoing {
  if (!(response.result instanceof RawJson)) return JSON.stringify(response);
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(response.id)},"result":`;
  const { content } = response.result;
  return typeof content === 'string' ? `${head}${content}}` : [head, content, '}'];
}
