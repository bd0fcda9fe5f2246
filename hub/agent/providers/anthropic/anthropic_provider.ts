import type { ModelRequest, Provider } from '../../model/provider.js';
import { type ServerAccess, serverAccess } from '../../model/server_access.js';
import type { ModelConnection } from '../transport/model_connection.js';
import { exchange, type ServedProvider } from '../transport/model_exchange.js';
import { anthropicReader } from './events.js';
import { type AnthropicMessage, anthropicMessages, anthropicPrefix } from './messages.js';
import { anthropicThinking } from './thinking.js';

/** The version of the API whose events are read here; the SDK says the same. */
const VERSION = '2026-10-21';
// The SDK's own limit must never be the first: the connection is watched here.
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

/** A provider that speaks Anthropic's messages, by the official SDK. */
export function anthropicProvider(provider: ServedProvider): Provider {
  return {
    name: provider.name,
    async *answer(request, signal) {
      const access = serverAccess(provider.name, provider.server, request);
      const reader = anthropicReader(request.messages.length, request.cache.lifetime);
      const [messages, sdk] = await Promise.all([anthropicMessages(request), import('@anthropic-ai/sdk')]);
      const open = async (connection: ModelConnection) => {
        const client = new sdk.default(options(access, connection));
        return client.messages.create(bodyOf(request, messages), { signal: connection.signal });
      };
      yield* exchange(
        { ...reader, open },
        { provider, request, signal, access, headers: { 'anthropic-version': VERSION } },
      );
    },
  };
}

function options({ address, key }: ServerAccess, { fetch }: ModelConnection) {
  return {
    apiKey: key,
    // The SDK adds the version itself.
    baseURL: address.href.replace(/\/+$/, '').replace(/\/v1$/, ''),
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    fetch,
    // Neither the environment nor a log decides what leaves the hub.
    logLevel: 'off' as const,
    openTelemetry: false as const,
  };
}

function bodyOf(request: ModelRequest, messages: AnthropicMessage[]) {
  return {
    model: request.model,
    max_tokens: request.outputTokensMax,
    ...anthropicPrefix(request),
    messages,
    ...anthropicThinking(request, messages),
    stream: true as const,
  };
}
