import { HubError } from '../../../base/error.js';
import type { ModelRequest, Provider } from '../../model/provider.js';
import { type ServerAccess, serverAccess } from '../../model/server_access.js';
import type { ModelConnection } from '../transport/model_connection.js';
import { exchange, type ServedProvider } from '../transport/model_exchange.js';
import { geminiReader } from './answer_chunks.js';
import { geminiContents, geminiTools } from './contents.js';
import { geminiThinking } from './gemini_models.js';
import { brokenAnswer, refusedRequest } from './google_error.js';

type Sdk = typeof import('@google/genai/web');

/** A provider that speaks Gemini's own protocol, by the official SDK. */
export function geminiProvider(provider: ServedProvider): Provider {
  return {
    name: provider.name,
    async *answer(request, signal) {
      const access = serverAccess(provider.name, provider.server, request);
      refuseImpossibleName(request.model);
      const reader = geminiReader(request.messages.length);
      // The form for browsers: that for Node loads what signs in to Google's cloud, which is never used here.
      const [contents, sdk] = await Promise.all([geminiContents(request), import('@google/genai/web')]);
      const open = async (connection: ModelConnection) => {
        const client = new sdk.GoogleGenAI(optionsFor(access, connection));
        const { model } = request;
        const config = { ...configOf(request, sdk), abortSignal: connection.signal };
        return readable(await client.models.generateContentStream({ model, contents: [...contents], config }));
      };
      yield* exchange({ ...reader, open, framing: 'events' }, { provider, request, signal, access, headers: {} });
    },
  };
}

/** The SDK puts the name into the path. */
function refuseImpossibleName(model: string): void {
  if (!/[?#&\\]|\.\./.test(model)) return;
  throw new HubError('invalid_params', `no model of Gemini is called ${model.slice(0, 200)}`, {
    hint: 'name one like gemini/gemini-3.8-flash',
    details: { visible: false },
  });
}

function optionsFor({ address, key }: ServerAccess, { fetch }: ModelConnection) {
  const [, path = '', apiVersion = 'v1beta'] = /^(.*?)\/*(?:(v\d\w*)\/*)?$/.exec(address.pathname) ?? [];
  return {
    apiKey: key,
    vertexai: false,
    apiVersion,
    httpOptions: {
      baseUrl: `${address.origin}${path}`,
      // What a server refuses is read here: the SDK keeps neither its headers nor a page of a gateway.
      fetch: async (...sent: Parameters<typeof fetch>) => {
        const response = await fetch(...sent);
        if (!response.ok) throw await refusedRequest(response);
        return response;
      },
    },
  };
}

function configOf(request: ModelRequest, sdk: Sdk) {
  const { systemPrompt, model, thinking, outputTokensMax } = request;
  const told = geminiThinking(model, thinking);
  return {
    ...(systemPrompt.trim() === '' ? {} : { systemInstruction: systemPrompt }),
    ...geminiTools(request),
    maxOutputTokens: outputTokensMax,
    ...(told === null ? {} : { thinkingConfig: thinkingConfig(told, sdk) }),
    // Each request is one call of ours: nothing is called or asked again by itself.
    automaticContinuation: false,
    automaticFunctionCalling: { disable: true },
  };
}

function thinkingConfig({ level, budget }: NonNullable<ReturnType<typeof geminiThinking>>, { ThinkingLevel }: Sdk) {
  return {
    includeThoughts: budget !== 0,
    ...(level === undefined ? {} : { thinkingLevel: ThinkingLevel[level] }),
    ...(budget === undefined ? {} : { thinkingBudget: budget }),
  };
}

async function* readable(chunks: AsyncIterable<unknown>): AsyncGenerator<unknown, void, undefined> {
  try {
    yield* chunks;
  } catch (error) {
    throw brokenAnswer(error);
  }
}
