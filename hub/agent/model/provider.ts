import type { z } from 'zod';
import type { ModelMessage } from '../../protocol/methods/context_methods.js';
import type { CallBlock, ImageBlock } from '../../protocol/node.js';
import type { CloudField, Route, ThinkingLevel } from '../../protocol/turn.js';

/** How long a server may send nothing at all before the request is given up; who is to think much may be silent for longer. */
export const IDLE_MS_MAX = 240_000;
export const DEEP_IDLE_MS_MAX = 900_000;

export function idleMsMax({ thinking }: Pick<ModelRequest, 'thinking'>): number {
  return thinking === 'high' || thinking === 'max' ? DEEP_IDLE_MS_MAX : IDLE_MS_MAX;
}
/** The most bytes of one answer, and of one event in it. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
export const EVENT_BYTES_MAX = 8 * 1024 * 1024;
/** The longest answer as JSON: it must fit into a node, where some characters take twice the bytes. */
export const SAID_BYTES_MAX = 6 * 1024 * 1024;

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

/** A model, and how it is reached with what the caller has. */
export interface ModelReach {
  /** Its name at the provider. */
  model: string;
  /** Null is the provider's own address. */
  baseUrl: string | null;
  /** Null when the person has given none. */
  key: string | null;
  /** The header of the key; null is the provider's own. */
  keyHeader: string | null;
  /** What the person wants to be sent beside. */
  headers: Readonly<Record<string, string>>;
  /** Where and as whom the SDK of a cloud signs in. */
  cloud: Readonly<Partial<Record<CloudField, string>>>;
  /** Tokens that the person says fit its window; null for what the provider knows. */
  statedWindow: number | null;
  /** The caller's way to servers. */
  route: Route;
}

/** One request to a model: what one provider sends in exactly one call. */
export interface ModelRequest extends ModelReach {
  systemPrompt: string;
  tools: readonly ToolDefinition[];
  messages: readonly ModelMessage[];
  outputTokensMax: number;
  thinking: ThinkingLevel;
  cache: CacheMarks;
  /** The same for all branches of a conversation, which share the beginnings of their prompts; null for none. */
  conversation: string | null;
  loadImage: LoadImage;
}

/** How the server of a request is reached, as the caller gave it. */
export type GivenAccess = Omit<ModelReach, 'model' | 'statedWindow' | 'route'>;

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
 * calls must not be executed. `paused`: it goes on when it is sent back. `empty`: nothing that a person could read, and no calls.
 */
export type EndReason = 'answered' | 'calls' | 'max_tokens' | 'refused' | 'context_too_long' | 'paused' | 'empty';

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
 * One kind of model server. It retries nothing but a request in a form that its server does not know, and keeps nothing
 * between requests but warm connections and what it learnt of its servers: which forms those were, and what their models
 * can do. Failures are HubErrors whose `details` have `visible`: whether text, thinking or a call came before. When the signal
 * is aborted the failure is `cancelled`.
 */
export interface Provider {
  name: string;
  /** The line with which a person installs what it needs and does not have; null when nothing is missing. */
  toInstall?(): string | null;
  /** Tokens that fit a model's window, where its server decides that; null when the server does not answer. */
  window?(reach: ModelReach, signal: AbortSignal): Promise<number | null>;
  answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined>;
}
