import { listOf, objectOf } from './prompt_cache.js';

type Fields = Record<string, unknown>;

const MISTRAL_KNOWN = ['model', 'messages', 'tools', 'max_tokens', 'stream', 'reasoning_effort'];
const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/;

/** What Mistral refuses of a request that OpenAI takes; null for nothing. */
export function mistralViolation({ messages, ...body }: Fields): string | null {
  const unknown = Object.keys(body).find((key) => !MISTRAL_KNOWN.includes(key));
  if (unknown !== undefined) return `extra_forbidden: body.${unknown}`;
  const all = listOf(messages).map(objectOf);
  const odd = all.find((message) => 'reasoning_content' in message || 'reasoning' in message);
  if (odd !== undefined) return 'extra_forbidden: body.messages.assistant.reasoning_content';
  const ids = all.flatMap(({ tool_calls: calls, tool_call_id: id }) => [
    ...listOf(calls).map((call) => objectOf(call).id),
    ...(id === undefined ? [] : [id]),
  ]);
  const wrong = ids.find((id) => !MISTRAL_ID.test(String(id)));
  return wrong === undefined ? null : `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`;
}

/** What Groq refuses of a request that OpenAI takes; null for nothing. */
export function groqViolation({ messages }: Fields): string | null {
  const place = listOf(messages).findIndex((message) => 'reasoning_content' in objectOf(message));
  return place < 0 ? null : `'messages.${place}' : property 'reasoning_content' is unsupported`;
}
