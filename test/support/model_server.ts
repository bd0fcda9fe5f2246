import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OLLAMA_MODELS, type Ollama, ollamaLookUp } from './model/ollama_models.js';
import { type PromptCache, promptCache } from './model/prompt_cache.js';
import { modelInPath, type Protocol, protocolOf, type Received, type Refusal, SSE } from './model/protocols.js';
import { type Part, type Script, say } from './model/script.js';
import { type ThinkingBindings, thinkingBindings } from './model/thinking_bindings.js';

export const KEY = 'sk-test-0123456789abcdef';
const BODY_BYTES_MAX = 64 * 1024 * 1024;

/** A scripted model server on loopback that speaks every protocol. */
export interface ModelServer {
  /** `http://127.0.0.1:<port>`. */
  origin: string;
  /** The base URL of the OpenAI format. */
  openaiUrl: string;
  requests: Received[];
  /** Violations of the strict request rules; a test fails when there is one at its end. */
  violations: string[];
  /** The last words of answers that paused, which alone may stand at the end of a request. */
  paused: Set<string>;
  cache: PromptCache;
  bindings: ThinkingBindings;
  /** Paths that this server does not have. */
  missing: Set<string>;
  /** The models that Ollama has here, and how one is loaded. */
  ollama: Ollama;
  /** Scripts the answers to the next requests, in order; the default is a greeting. */
  script(...scripts: Script[]): void;
  /** Takes back the scripts for which no request has come. */
  unscript(): void;
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
    paused: new Set(),
    cache,
    bindings: thinkingBindings(),
    missing: new Set(),
    ollama: {
      models: new Map(Object.entries(OLLAMA_MODELS)),
      runner: { model: '', context: 0, loads: 0, lookUps: [] },
    },
    script: (...more) => void scripts.push(...more),
    unscript: () => void scripts.splice(0),
    hanging: () => hanging.promise,
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/api/ps' || request.url === '/api/show') {
      const { status, body } = await ollamaLookUp(model.ollama, request);
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
      return;
    }
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
  const protocol = protocolOf(received.path);
  if (protocol === undefined || model.missing.has(received.path))
    return fail(response, { status: 404, message: 'Not Found' }, SSE);
  if (script.kind === 'fail' && script.raw === 'hang') {
    response.writeHead(script.status).write('{"error":', hang);
    return;
  }
  if (script.kind === 'fail') return fail(response, script, protocol);
  const signature = protocol.signature?.(received) ?? { problem: keyViolation(received) };
  const wrong = script.kind === 'say_to_anyone' ? null : signature.problem;
  if (wrong !== null) return fail(response, { ...protocol.wrongKey, message: wrong }, protocol);
  const sent = { model: modelInPath(received.path), ...received.body };
  const violation = protocol.violation(received, model) ?? model.bindings.violation(sent);
  if (violation !== null) {
    model.violations.push(violation);
    return fail(response, { status: 400, type: 'invalid_request_error', message: violation }, protocol);
  }
  if ('stop' in script && script.stop === 'pause_turn') model.paused.add(lastWords(script.parts));
  model.bindings.bind(sent, script);
  if (protocol.isCaching) received.cached = model.cache.serve(sent);
  await deliver(protocol, responding);
}

/** What is wrong with the key of a request; null for the right one. */
function keyViolation({ headers }: Pick<Received, 'headers'>): string | null {
  const { authorization, 'x-goog-api-key': google, 'x-api-key': own, 'api-key': azure } = headers;
  const key = authorization?.replace(/^Bearer /, '') ?? google ?? own ?? azure;
  return key === KEY ? null : `invalid x-api-key: ${key}`;
}

function lastWords(parts: readonly Part[]): string {
  const last = parts.findLast((part) => part.kind === 'text');
  return last?.kind === 'text' ? last.text : '';
}

/** Writes the frames, then the scripted end. */
async function deliver(protocol: Protocol, { received, response, script, hang }: Responding): Promise<void> {
  if (script.kind === 'hang' && script.parts.length === 0) return hang();
  const frames = protocol.frames(script, received);
  response.writeHead(200, { 'content-type': protocol.contentType });
  const bytes =
    protocol.bytes?.(frames) ??
    Buffer.from(frames.join('').replaceAll('\n', script.lineEnd === 'crlf' ? '\r\n' : '\n'));
  const step = script.delivery === 'bytes' ? 1 : bytes.length;
  for (let at = 0; at < bytes.length; at += step) await written(response, bytes.subarray(at, at + step));
  if (script.kind === 'hang') return hang();
  if (script.kind === 'cut') response.socket?.resetAndDestroy();
  else if (script.delivery !== 'left_open') response.end();
}

function written(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}

function fail(response: ServerResponse, refusal: Refusal, { failure }: Pick<Protocol, 'failure'>): void {
  response.writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers });
  response.end(refusal.raw ?? JSON.stringify(failure(refusal)));
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
