import type { IncomingMessage } from 'node:http';
import { anthropicFrames } from './anthropic_frames.js';
import { anthropicViolation } from './anthropic_rules.js';
import { bedrockStream } from './bedrock_stream.js';
import { cloudModelIn, cloudViolation, signatureViolation } from './cloud_rules.js';
import { geminiModelIn } from './gemini_facts.js';
import { geminiFrames, geminiRefusal } from './gemini_frames.js';
import { geminiViolation } from './gemini_rules.js';
import { ollamaFrames } from './ollama_frames.js';
import type { Ollama } from './ollama_models.js';
import { ollamaViolation } from './ollama_rules.js';
import { openaiFrames } from './openai_frames.js';
import { openaiViolation } from './openai_rules.js';
import type { Cached } from './prompt_cache.js';
import { responsesFrames } from './responses_frames.js';
import { responsesViolation } from './responses_rules.js';
import type { Script } from './script.js';
import { groqViolation, mistralViolation } from './strict_servers.js';

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

/** What a server says instead of an answer. */
export interface Refusal {
  status: number;
  type?: string;
  code?: string;
  message?: string;
  headers?: Record<string, string>;
  raw?: string;
}

/** How a server speaks. */
export interface Protocol {
  contentType: string;
  violation(received: Received, model: { paused: ReadonlySet<string>; ollama: Ollama }): string | null;
  frames(script: Script, received: Received): string[];
  isCaching: boolean;
  /** Frames that are no text. */
  bytes?(frames: string[]): Buffer;
  /** What is wrong with how a request is signed; null for one that has a key instead. */
  signature?(received: Received): { problem: string | null } | null;
  /** The body of a failure. */
  failure(refusal: Refusal): object;
  /** How a wrong key is refused. */
  wrongKey: Pick<Refusal, 'status' | 'type' | 'code'>;
}
export const SSE = {
  contentType: 'text/event-stream',
  wrongKey: { status: 401, type: 'authentication_error' },
  failure: ({ type, code, message }: Refusal) => ({ type: 'error', error: { type, code, message } }),
};

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  '/v1/messages': {
    ...SSE,
    violation: anthropicViolation,
    frames: (script, { cached }) => anthropicFrames(script, cached),
    isCaching: true,
  },
  '/v1/chat/completions': {
    ...SSE,
    violation: ({ body }) => openaiViolation(body),
    frames: (script, { body }) => openaiFrames(script, body),
    isCaching: false,
  },
  // Servers that speak alike, and refuse what others take.
  '/mistral/v1/chat/completions': {
    ...SSE,
    violation: ({ body }) => mistralViolation(body) ?? openaiViolation(body),
    frames: (script, { body }) => openaiFrames(script, { ...body, stream_options: { include_usage: true } }),
    isCaching: false,
  },
  '/groq/v1/chat/completions': {
    ...SSE,
    violation: ({ body }) => groqViolation(body) ?? openaiViolation(body),
    frames: (script, { body }) => openaiFrames(script, body),
    isCaching: false,
  },
  '/v1/responses': {
    ...SSE,
    violation: ({ body }) => responsesViolation(body),
    frames: responsesFrames,
    isCaching: true,
  },
  '/api/chat': {
    ...SSE,
    contentType: 'application/x-ndjson',
    violation: ({ body }, { ollama }) => ollamaViolation(body, ollama),
    frames: ollamaFrames,
    isCaching: false,
    failure: ({ type, code, message }) => ({ error: [type, code, message].filter(Boolean).join(': ') }),
  },
};

const GEMINI: Protocol = {
  ...SSE,
  violation: (received) => geminiViolation({ ...received, model: geminiModelIn(received.path) }),
  frames: (script, { path, cached }) => geminiFrames(script, { model: geminiModelIn(path), cached }),
  isCaching: true,
  failure: geminiRefusal,
  wrongKey: { status: 400, code: 'API_KEY_INVALID' },
};

const VERTEX: Protocol = {
  ...SSE,
  violation: cloudViolation,
  frames: (script, { cached }) => anthropicFrames(script, cached),
  isCaching: true,
};
const BEDROCK: Protocol = {
  ...VERTEX,
  contentType: 'application/vnd.amazon.eventstream',
  bytes: bedrockStream,
  failure: ({ type, code, message }) => ({ message: [type, code, message].filter(Boolean).join(': ') }),
  wrongKey: { status: 403, type: 'UnrecognizedClientException' },
  signature: (received) =>
    /^AWS4/.test(received.headers.authorization ?? '') ? { problem: signatureViolation(received) } : null,
};

/** The protocol of a path; undefined for one that there is not. */
export function protocolOf(path: string): Protocol | undefined {
  if (geminiModelIn(path) !== null) return GEMINI;
  const found = cloudModelIn(path);
  if (found === null) return PROTOCOLS[path];
  return found.cloud === 'bedrock' ? BEDROCK : VERTEX;
}

/** The model that a path names; null in a path that names none. */
export function modelInPath(path: string): string | null {
  return geminiModelIn(path) ?? cloudModelIn(path)?.model ?? null;
}
