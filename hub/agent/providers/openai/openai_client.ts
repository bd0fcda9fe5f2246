import type { ModelRequest } from '../../model/provider.js';
import type { ServerAccess } from '../../model/server_access.js';
import type { ModelConnection } from '../transport/model_connection.js';
import type { ServedProvider } from '../transport/model_exchange.js';

// The SDK's own limit must never be the first: the connection is watched here.
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

/** One request in a protocol of OpenAI. */
export interface OpenaiRequest {
  provider: ServedProvider;
  request: ModelRequest;
  signal: AbortSignal;
  access: ServerAccess;
  /** The address below which the methods are. */
  baseUrl: string;
}

/** The options of the official SDK: neither the environment nor a log decides what leaves the hub. */
export function openaiClientOptions({ access, baseUrl }: OpenaiRequest, { fetch }: ModelConnection) {
  return {
    apiKey: access.key,
    baseURL: baseUrl,
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    fetch,
    logLevel: 'off' as const,
    organization: null,
    project: null,
    adminAPIKey: null,
  };
}
