import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicFrames } from './model/anthropic_frames.js';
import { anthropicViolation } from './model/anthropic_rules.js';
import { openaiFrames } from './model/openai_frames.js';
import { openaiViolation } from './model/openai_rules.js';
import { type Cached, type PromptCache, promptCache } from './model/prompt_cache.js';
import { type Script, say } from './model/script.js';

export const KEY = 'sk-test-0123456789abcdef';
const BODY_BYTES_MAX = 64 * 1024 * 1024;

/** One request as it came. */
export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  /** The whole body as text, and parsed. */
  text: string;
  body: Record<string, unknown>;
  /** What the cache made of it; null where none is modelled. */
  cached: Cached | null;
  /** The number of the connection that it came on, and when its first bytes had, by the clock of `performance`. */
  connection: number;
  atMs: number;
}

/** A scripted model server on loopback that speaks both wire formats. */
export interface ModelServer {
  /** `http://127.0.0.1:<port>`. */
  origin: string;
  /** The base URL of the OpenAI format. */
  openaiUrl: string;
  requests: Received[];
  /** Violations of the strict request rules; a test fails when there is one at its end. */
  violations: string[];
  cache: PromptCache;
  /** Scripts the answers to the next requests, in order; the default is a greeting. */
  script(...scripts: Script[]): void;
  /** Resolves when an answer has reached the point where it hangs. */
  hanging(): Promise<void>;
}

export interface ModelServerOptions {
  nowMs?: () => number;
  /** Tokens below which nothing is cached. */
  cacheTokensMin?: number;
}

/** Runs a test with a model server of its own. */
export async function withModelServer<T>(
  use: (server: ModelServer) => Promise<T>,
  options: ModelServerOptions = {},
): Promise<T> {
  const scripts: Script[] = [];
  const hanging = settled();
  const cache = promptCache({ nowMs: options.nowMs ?? (() => 0), tokensMin: options.cacheTokensMin ?? 1_024 });
  const numbers = new WeakMap<object, number>();
  let connections = 0;
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(asError(error)));
  });
  server.on('connection', (socket) => {
    connections += 1;
    numbers.set(socket, connections);
  });
  const model: ModelServer = {
    origin: '',
    openaiUrl: '',
    requests: [],
    violations: [],
    cache,
    script: (...more) => void scripts.push(...more),
    hanging: () => hanging.promise,
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received = await receive(request, { atMs: performance.now(), connection: numbers.get(request.socket) ?? 0 });
    model.requests.push(received);
    const script = scripts.shift() ?? say({ kind: 'text', text: 'Hello.' });
    await respond({ model, received, response, script, hang: hanging.resolve });
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  model.origin = `http://127.0.0.1:${port}`;
  model.openaiUrl = `${model.origin}/v1`;
  try {
    const result = await use(model);
    if (model.violations.length > 0)
      throw new Error(`the server was sent wrong things: ${model.violations.join('; ')}`);
    return result;
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function receive(request: IncomingMessage, about: Pick<Received, 'atMs' | 'connection'>): Promise<Received> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > BODY_BYTES_MAX) throw new Error('the body is too large');
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString();
  return { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text), cached: null, ...about };
}

interface Responding {
  model: ModelServer;
  received: Received;
  response: ServerResponse;
  script: Script;
  hang: () => void;
}

async function respond(responding: Responding): Promise<void> {
  const { model, received, response, script, hang } = responding;
  const isAnthropic = received.path === '/v1/messages';
  if (!isAnthropic && received.path !== '/v1/chat/completions') return fail(response, 404, { message: 'Not Found' });
  const key = received.headers.authorization?.replace(/^Bearer /, '') ?? received.headers['x-api-key'];
  if (script.kind === 'fail' && script.raw === 'hang') {
    response.writeHead(script.status).write('{"error":', hang);
    return;
  }
  if (script.kind === 'fail') return fail(response, script.status, script);
  if (key !== KEY && script.kind !== 'say_to_anyone') {
    return fail(response, 401, { type: 'authentication_error', message: `invalid x-api-key: ${key}` });
  }
  const violation = isAnthropic ? anthropicViolation(received) : openaiViolation(received.body);
  if (violation !== null) {
    model.violations.push(violation);
    return fail(response, 400, { type: 'invalid_request_error', message: violation });
  }
  if (isAnthropic) received.cached = model.cache.serve(received.body);
  const frames = isAnthropic ? anthropicFrames(script, received.cached) : openaiFrames(script, received.body);
  await deliver(frames, responding);
}

/** Writes the frames, then the scripted end. */
async function deliver(frames: string[], { response, script, hang }: Responding): Promise<void> {
  if (script.kind === 'hang' && script.parts.length === 0) return hang();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const bytes = Buffer.from(frames.join('').replaceAll('\n', script.lineEnd === 'crlf' ? '\r\n' : '\n'));
  const step = script.delivery === 'bytes' ? 1 : bytes.length;
  for (let at = 0; at < bytes.length; at += step) await written(response, bytes.subarray(at, at + step));
  if (script.kind === 'hang') return hang();
  if (script.kind === 'cut') response.socket?.resetAndDestroy();
  else if (script.delivery !== 'left_open') response.end();
}

function written(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}

interface Refusal {
  type?: string;
  code?: string;
  message?: string;
  headers?: Record<string, string>;
  raw?: string;
}

function fail(response: ServerResponse, status: number, { headers, raw, type, code, message }: Refusal): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(raw ?? JSON.stringify({ type: 'error', error: { type, code, message } }));
}

function settled(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
