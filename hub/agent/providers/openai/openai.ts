import { HubError } from '../../../base/error.js';
import { type ModelRequest, type Provider, type ProviderParts, SYSTEM_PARTS } from '../../model/provider.js';
import { OWN_ADDRESSES, serverAddress, usableKey } from '../../model/server_address.js';
import type { ModelConnection } from '../transport/model_connection.js';
import { exchange, type ModelExchange } from '../transport/model_exchange.js';
import { openaiReader } from './events.js';
import { type ChatMessage, openaiMessages, openaiTools } from './messages.js';

/** Servers of one's own need no key, but the SDK wants one. */
export const NO_KEY = 'no-key';
// The SDK's own limit must never be the first: the connection is watched here.
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

/** Chat completions of OpenAI and of the many servers that speak like it, by the official SDK. */
export function openaiProvider(parts: ProviderParts = SYSTEM_PARTS): Provider {
  return {
    name: 'openai',
    async *answer(request, signal) {
      if (request.key === null && request.baseUrl === null) throw noKey();
      const key = request.key === null ? NO_KEY : usableKey(request.key, 'openai');
      const address = serverAddress(request.baseUrl, OWN_ADDRESSES.openai);
      yield* chatCompletion({ request, parts, signal, provider: 'openai', address, key });
    },
  };
}

type Completion = Omit<ModelExchange, 'headers'>;

/** One chat completion, from whichever server speaks so. */
export async function* chatCompletion(about: Completion): ReturnType<Provider['answer']> {
  const { request } = about;
  const [messages, sdk] = await Promise.all([openaiMessages(request), import('openai')]);
  const open = async (connection: ModelConnection) => {
    const client = new sdk.default(options(about, connection));
    return client.chat.completions.create(bodyOf(request, messages), { signal: connection.signal });
  };
  const headers = { authorization: `Bearer ${about.key}` };
  yield* exchange({ ...openaiReader(request.messages.length), open }, { ...about, headers });
}

function options({ address, key }: Completion, { fetch }: ModelConnection) {
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

function bodyOf(request: ModelRequest, messages: ChatMessage[]) {
  return {
    model: request.model,
    messages,
    ...openaiTools(request),
    ...outputLimit(request),
    ...(request.thinking === 'off' ? {} : { reasoning_effort: request.thinking }),
    stream: true as const,
    stream_options: { include_usage: true },
  };
}

/** OpenAI's newer models refuse the old name of the limit; other servers may not know the new one. */
function outputLimit({ baseUrl, outputTokensMax }: ModelRequest) {
  return baseUrl === null ? { max_completion_tokens: outputTokensMax } : { max_tokens: outputTokensMax };
}

/** People give a server's bare address; its methods are below /v1. */
function withVersion(address: URL): string {
  const url = address.href.replace(/\/+$/, '');
  return address.pathname === '/' ? `${url}/v1` : url;
}

function noKey(): HubError {
  return new HubError('no_key', 'there is no key for openai', {
    hint: 'set OPENAI_API_KEY, give the base URL of a server that needs none, or choose another model: `--model demo/demo`',
    details: { visible: false },
  });
}
