import { type Provider, type ProviderParts, SYSTEM_PARTS } from '../provider.js';
import { serverAddress, usableKey } from './connection.js';
import { chatCompletion, NO_KEY } from './openai.js';

const ADDRESS = 'http://127.0.0.1:11434';

/** Models on one's own machine; Ollama speaks as OpenAI does and needs no key. */
export function ollamaProvider(parts: ProviderParts = SYSTEM_PARTS): Provider {
  return {
    name: 'ollama',
    async *answer(request, signal) {
      const address = serverAddress(request.baseUrl, ADDRESS);
      const key = request.key === null ? NO_KEY : usableKey(request.key, 'ollama');
      // It knows only the old name of the output limit, as every server that is not OpenAI's own.
      const asked = { ...request, baseUrl: address.href };
      yield* chatCompletion({ request: asked, parts, signal, provider: 'ollama', address, key });
    },
  };
}
