import type { Provider } from '../../model/provider.js';
import { serverAccess } from '../../model/server_access.js';
import type { ModelConnection } from '../transport/model_connection.js';
import type { ServedProvider } from '../transport/model_exchange.js';
import { type MessagesBody, SDK_OPTIONS, sendMessages } from './send_messages.js';

/** The version of the API whose events are read here; the SDK says the same. */
const VERSION = '2026-10-21';

/** A provider that speaks Anthropic's messages, by the official SDK. */
export function anthropicProvider(provider: ServedProvider): Provider {
  return {
    name: provider.name,
    async *answer(request, signal) {
      const access = serverAccess(provider.name, provider.server, request);
      const sdk = await import('@anthropic-ai/sdk');
      // The SDK adds the version itself.
      const baseURL = access.address.href.replace(/\/+$/, '').replace(/\/v1$/, '');
      const api = {
        headers: { 'anthropic-version': VERSION },
        ttl: request.cache.lifetime,
        send({ fetch, signal }: ModelConnection, body: MessagesBody) {
          const client = new sdk.default({ ...SDK_OPTIONS, apiKey: access.key, baseURL, fetch });
          return client.messages.create(body, { signal });
        },
      };
      yield* sendMessages({ provider, request, signal, access }, api);
    },
  };
}
