import { type Provider, type ProviderParts, SYSTEM_PARTS } from '../../model/provider.js';
import { OWN_ADDRESSES, serverAddress, usableKey } from '../../model/server_address.js';
import { chatCompletion, NO_KEY } from './openai.js';

/** Models on one's own machine; Ollama speaks as OpenAI does and needs no key. */
export function ollamaProvider(parts: ProviderParts = SYSTEM_PARTS): Provider {
  return {
    name: 'ollama',
    async *answer(request, signal) {
      const address = serverAddress(request.baseUrl, OWN_ADDRESSES.ollama);
      const key = request.key === null ? NO_KEY : usableKey(request.key, 'ollama');
      // It knows only the old name of the output limit, as every server that is not OpenAI's own.
      const asked = { ...request, baseUrl: address.href };
      yield* chatCompletion({ request: asked, parts, signal, provider: 'ollama', address, key });
    },
  };
}
