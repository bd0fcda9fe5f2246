import type { ModelEvent } from '../../model/provider.js';
import { type OpenaiRequest, openaiClientOptions } from '../openai/openai_client.js';
import { openaiEffort } from '../openai/openai_models.js';
import type { ModelConnection } from '../transport/model_connection.js';
import { exchange } from '../transport/model_exchange.js';
import { responsesReader } from './events.js';
import { type InputItem, inputItems, responsesTools } from './input_items.js';

/** Sends one request to OpenAI's Responses API, by the official SDK. The server keeps nothing of the conversation. */
export async function* sendResponses(
  sent: OpenaiRequest & { hasSummaries: boolean },
): AsyncGenerator<ModelEvent, void, undefined> {
  const { request } = sent;
  const [input, sdk] = await Promise.all([inputItems(request), import('openai')]);
  const open = async (connection: ModelConnection) => {
    const client = new sdk.default(openaiClientOptions(sent, connection));
    return client.responses.create(bodyOf(sent, input), { signal: connection.signal });
  };
  const reader = responsesReader(request.messages.length);
  yield* exchange({ ...reader, open, framing: 'events' }, { ...sent, headers: {} });
}

function bodyOf({ request, hasSummaries }: OpenaiRequest & { hasSummaries: boolean }, input: InputItem[]) {
  const { model, systemPrompt, conversation } = request;
  return {
    model,
    ...(systemPrompt.trim() === '' ? {} : { instructions: systemPrompt }),
    input,
    ...responsesTools(request),
    max_output_tokens: request.outputTokensMax,
    ...reasoningOf(request, hasSummaries),
    // Requests with the same key go where the beginning of their prompts is cached.
    ...(conversation === null ? {} : { prompt_cache_key: conversation }),
    store: false,
    stream: true as const,
  };
}

function reasoningOf({ model, thinking }: OpenaiRequest['request'], hasSummaries: boolean) {
  const effort = openaiEffort(model, thinking);
  if (effort === null) return {};
  return {
    reasoning: {
      ...(effort.effort === null ? {} : { effort: effort.effort }),
      ...(hasSummaries ? { summary: 'auto' as const } : {}),
    },
    include: ['reasoning.encrypted_content' as const],
  };
}
