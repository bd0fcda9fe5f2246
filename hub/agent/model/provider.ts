import type { z } from 'zod';
import type { ModelMessage } from '../../protocol/methods/context_methods.js';
import type { CallBlock, ImageBlock } from '../../protocol/node.js';

/** How long a server may send nothing at all before the request is given up. */
export const IDLE_MS_MAX = 240_000;
/** The most bytes of one answer, and of one event in it. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
export const EVENT_BYTES_MAX = 8 * 1024 * 1024;
/** The longest answer as JSON: it must fit into a node, where some characters take twice the bytes. */
export const SAID_BYTES_MAX = 6 * 1024 * 1024;

/** How much a model thinks before it answers. */
export const THINKING_LEVELS = ['off', 'low', 'medium', 'high'] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

export interface ToolDefinition {
  name: string;
  description: string;
  /** A JSON schema of an object; it is sent as it stands, so that its bytes never change. */
  schema: Record<string, unknown>;
}

/** Where a provider that caches prefixes on request is told to cache, besides after the system prompt and the tools. */
export interface CacheMarks {
  /** The indexes of the messages after whose last block a mark goes; at most three. */
  messages: readonly number[];
  lifetime: '5m' | '1h';
}

export type Image = z.infer<typeof ImageBlock>;

/** Reads a stored image; null when it is no longer stored. */
export type LoadImage = (image: Image) => Promise<Uint8Array | null>;

/** One request to a model: what one provider sends in exactly one call. */
export interface ModelRequest {
  /** Its name at the provider. */
  model: string;
  systemPrompt: string;
  tools: readonly ToolDefinition[];
  messages: readonly ModelMessage[];
  outputTokensMax: number;
  thinking: ThinkingLevel;
  cache: CacheMarks;
  loadImage: LoadImage;
  /** Null is the provider's own address. */
  baseUrl: string | null;
  /** Null when the person has given none. */
  key: string | null;
}

/** Tokens of one request, each counted in exactly one of these. */
export interface TokenUsage {
  /** Input that was neither read from a cache nor written to one. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
}

/**
 * Why an answer ended. `calls`: results are wanted. `max_tokens` and `context_too_long`: it was cut off, and its
 * calls must not be executed. `empty`: nothing that a person could read, and no calls.
 */
export type EndReason = 'answered' | 'calls' | 'max_tokens' | 'refused' | 'context_too_long' | 'empty';

/** What happens while a model answers. Every answer ends with one `end`; a failure is thrown as a HubError. */
export type ModelEvent =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  /** One piece of thinking is complete; null when the model signed nothing. */
  | { kind: 'thinking_signed'; signature: string | null }
  | { kind: 'call_begun'; id: string; tool: string }
  /** More of the input of a call being made, as the model writes it. */
  | { kind: 'call_input'; id: string; text: string }
  | { kind: 'call_made'; call: MadeCall }
  /** A call whose input is no JSON object: an error to tell the model. */
  | { kind: 'call_malformed'; id: string; tool: string; text: string; problem: string }
  /** The tokens counted so far; a later event replaces it. None comes when the server does not say. */
  | { kind: 'usage'; usage: TokenUsage }
  | { kind: 'end'; reason: EndReason };
type MadeCall = z.infer<typeof CallBlock>;

/**
 * One kind of model server. It sends one request, retries nothing, and keeps nothing between requests but warm
 * connections. Failures are HubErrors whose `details` have `visible`: whether text, thinking or a call came before. When
 * the signal is aborted the failure is `cancelled`.
 */
export interface Provider {
  name: string;
  answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined>;
}
