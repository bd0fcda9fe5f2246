import type { Dialect } from '../../../base/provider_records.js';
import type { ModelRequest, Provider } from '../../model/provider.js';
import { type ServerAccess, serverAccess } from '../../model/server_access.js';
import type { ModelConnection } from '../transport/model_connection.js';
import { exchange, type ServedProvider } from '../transport/model_exchange.js';
import { openaiReader } from './events.js';
import { type ChatMessage, openaiMessages, openaiTools } from './messages.js';

// The SDK's own limit must never be the first: the connection is watched here.
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

type ChatCompletions = Extract<Dialect, { kind: 'chat_completions' }>;

/** A provider that speaks OpenAI's chat completions, by the official SDK. */
export function chatCompletionsProvider(provider: ServedProvider, dialect: ChatCompletions): Provider {
  return {
    name: provider.name,
    async *answer(request, signal) {
      const access = serverAccess(provider.name, provider.server, request);
      // Of a server elsewhere it is not known whether it has learnt the new name.
      const outputLimit = request.baseUrl === null ? dialect.outputLimit : 'max_tokens';
      const [messages, sdk] = await Promise.all([openaiMessages(request), import('openai')]);
      const open = async (connection: ModelConnection) => {
        const client = new sdk.default(options(access, connection));
        return client.chat.completions.create(bodyOf(request, messages, outputLimit), { signal: connection.signal });
      };
      const reader = openaiReader(request.messages.length);
      yield* exchange({ ...reader, open }, { provider, request, signal, access, headers: {} });
    },
  };
}

function options({ address, key }: ServerAccess, { fetch }: ModelConnection) {
  return {
    apiKey: key,
    baseURL: withVersion(address),
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    fetch,
    // Neither the environment nor a log decides what leaves the hub.
    logLevel: 'off' as const,
    organization: null,
    project: null,
    adminAPIKey: null,
  };
}

function bodyOf(request: ModelRequest, messages: ChatMessage[], outputLimit: ChatCompletions['outputLimit']) {
  return {
    model: request.model,
    messages,
    ...openaiTools(request),
    [outputLimit]: request.outputTokensMax,
    ...(request.thinking === 'off' ? {} : { reasoning_effort: request.thinking }),
    stream: true as const,
    stream_options: { include_usage: true },
  };
}

/** People give a server's bare address; its methods are below /v1. */
function withVersion(address: URL): string {
  const url = address.href.replace(/\/+$/, '');
  return address.pathname === '/' ? `${url}/v1` : url;
}
