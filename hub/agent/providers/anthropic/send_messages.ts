import type { ModelEvent, ModelRequest } from '../../model/provider.js';
import type { ModelConnection, ServerHeaders } from '../transport/model_connection.js';
import { exchange, type ServerRequest } from '../transport/model_exchange.js';
import { anthropicReader } from './events.js';
import { type AnthropicMessage, anthropicMessages, anthropicPrefix, type CacheTtl } from './messages.js';
import { anthropicThinking } from './thinking.js';

// The SDK's own limit must never be the first: the connection is watched here.
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

/** Options of the SDK and of its variants: neither the environment nor a log decides what leaves the hub. */
export const SDK_OPTIONS = {
  maxRetries: 0,
  timeout: SDK_TIMEOUT_MS,
  logLevel: 'off' as const,
  openTelemetry: false as const,
};

/** Where Anthropic's messages are sent, and by which client. */
export interface MessagesApi {
  /** What is sent beside the key; null where the client signs what it sends. */
  headers: ServerHeaders | null;
  ttl: CacheTtl;
  send(connection: ModelConnection, body: MessagesBody): PromiseLike<AsyncIterable<unknown>>;
}

export type MessagesBody = ReturnType<typeof bodyOf>;

/** Sends one request as Anthropic's messages. */
export async function* sendMessages(
  sent: Omit<ServerRequest, 'headers'>,
  { headers, ttl, send }: MessagesApi,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { request } = sent;
  const messages = await anthropicMessages(request, ttl);
  const open = async (connection: ModelConnection) => send(connection, bodyOf(request, { messages, ttl }));
  const reader = anthropicReader(request.messages.length, request.cache.lifetime);
  yield* exchange({ ...reader, open, framing: 'events' }, { ...sent, headers });
}

function bodyOf(request: ModelRequest, { messages, ttl }: { messages: AnthropicMessage[]; ttl: CacheTtl }) {
  return {
    model: request.model,
    max_tokens: request.outputTokensMax,
    ...anthropicPrefix(request, ttl),
    messages,
    ...anthropicThinking(request, messages),
    stream: true as const,
  };
}
