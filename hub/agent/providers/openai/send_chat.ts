import type { ThinkingLevel } from '../../../protocol/turn.js';
import type { ModelEvent } from '../../model/provider.js';
import type { ModelConnection } from '../transport/model_connection.js';
import { exchange } from '../transport/model_exchange.js';
import { openaiReader } from './events.js';
import { type ChatMessage, openaiMessages, openaiTools } from './messages.js';
import { type OpenaiRequest, openaiClientOptions } from './openai_client.js';
import { hasNewOutputLimit, needsResponses, openaiEffort } from './openai_models.js';

/** It thinks unless told otherwise, and knows `max`. */
const DEEPSEEK = /^deepseek/;

/** Sends one request as OpenAI's chat completions, which many servers speak, by the official SDK. */
export async function* sendChat(
  sent: OpenaiRequest,
  { hasEffort }: { hasEffort: boolean },
): AsyncGenerator<ModelEvent, void, undefined> {
  const { request } = sent;
  const [messages, sdk] = await Promise.all([openaiMessages(request, variantOf(sent)), import('openai')]);
  const open = async (connection: ModelConnection) => {
    const client = new sdk.default(openaiClientOptions(sent, connection));
    return client.chat.completions.create({ ...bodyOf(sent, messages), ...effort }, { signal: connection.signal });
  };
  const effort = hasEffort ? effortOf(sent) : {};
  const reader = openaiReader(request.messages.length);
  yield* exchange({ ...reader, open, framing: 'events' }, { ...sent, headers: {} });
}

function bodyOf(sent: OpenaiRequest, messages: ChatMessage[]) {
  const { request } = sent;
  // OpenAI's newer models refuse `max_tokens`; other servers may know nothing else.
  const outputLimit = hasNewOutputLimit(request.model) ? 'max_completion_tokens' : 'max_tokens';
  return {
    model: request.model,
    messages,
    ...openaiTools(request),
    [outputLimit]: request.outputTokensMax,
    stream: true as const,
    ...(variantOf(sent) === 'mistral' ? {} : { stream_options: { include_usage: true } }),
  };
}

function variantOf({ provider: { server } }: OpenaiRequest): 'mistral' | null {
  return server.dialect.kind === 'openai' ? server.dialect.variant : null;
}

function effortOf({ provider, request: { model, thinking, tools } }: OpenaiRequest) {
  // In this protocol these models do not take tools while they think.
  if (needsResponses(model) && tools.length > 0) return { reasoning_effort: 'none' as const };
  if (DEEPSEEK.test(model)) return deepseekEffort(thinking);
  const { dialect } = provider.server;
  const off = thinking === 'off' && dialect.kind === 'openai' ? dialect.thinkingOff : null;
  const told = openaiEffort(model, thinking)?.effort ?? off;
  return told === null ? {} : { reasoning_effort: told };
}

function deepseekEffort(thinking: ThinkingLevel) {
  if (thinking === 'off') return { thinking: { type: 'disabled' } };
  return thinking === 'auto' ? {} : { reasoning_effort: thinking };
}
