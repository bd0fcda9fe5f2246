import { HubError } from '../../../base/error.js';
import { type ModelRequest, type Provider, type ProviderParts, SYSTEM_PARTS } from '../../model/provider.js';
import { OWN_ADDRESSES, serverAddress, usableKey } from '../../model/server_address.js';
import type { ModelConnection } from '../transport/model_connection.js';
import { exchange } from '../transport/model_exchange.js';
import { anthropicReader } from './events.js';
import { type AnthropicMessage, anthropicMessages, anthropicPrefix } from './messages.js';
import { anthropicThinking } from './thinking.js';

/** The version of the API whose events are read here; the SDK says the same. */
const VERSION = '2026-10-21';
// The SDK's own limit must never be the first: the connection is watched here.
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

/** Anthropic's messages, by the official SDK. */
export function anthropicProvider(parts: ProviderParts = SYSTEM_PARTS): Provider {
  return {
    name: 'anthropic',
    async *answer(request, signal) {
      if (request.key === null) throw noKey();
      const key = usableKey(request.key, 'anthropic');
      const address = serverAddress(request.baseUrl, OWN_ADDRESSES.anthropic);
      const reader = anthropicReader(request.messages.length, request.cache.lifetime);
      const [messages, sdk] = await Promise.all([anthropicMessages(request), import('@anthropic-ai/sdk')]);
      const open = async (connection: ModelConnection) => {
        const client = new sdk.default(options({ address, key }, connection));
        return client.messages.create(bodyOf(request, messages), { signal: connection.signal });
      };
      const headers = { authorization: `Bearer ${key}`, 'anthropic-version': VERSION };
      yield* exchange({ ...reader, open }, { request, parts, signal, provider: 'anthropic', address, key, headers });
    },
  };
}

function options({ address, key }: { address: URL; key: string }, { fetch }: ModelConnection) {
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

function noKey(): HubError {
  return new HubError('no_key', 'there is no key for anthropic', {
    hint: 'set ANTHROPIC_API_KEY, or choose another model: `--model demo/demo` needs none',
    details: { visible: false },
  });
}
