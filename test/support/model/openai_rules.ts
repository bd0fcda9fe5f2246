import { isBlank, isObject } from './anthropic_rules.js';
import { factsOf } from './openai_facts.js';
import { listOf, objectOf } from './prompt_cache.js';

type Fields = Record<string, unknown>;

const KNOWN = [
  'model',
  'messages',
  'tools',
  'max_tokens',
  'max_completion_tokens',
  'reasoning_effort',
  'stream',
  'stream_options',
];
const KNOWN_IN_MESSAGES = ['role', 'content', 'tool_calls', 'tool_call_id', 'reasoning_content', 'reasoning'];
const ID = /^.{1,40}$/s;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** What is wrong with a request, by the strictest of the servers that speak this format; null when it would be answered. */
export function openaiViolation(body: Fields): string | null {
  const isDeepseek = String(body.model).startsWith('deepseek');
  const known = isDeepseek ? [...KNOWN, 'thinking'] : KNOWN;
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown !== undefined) return `Unknown parameter: '${unknown}'`;
  if (typeof body.model !== 'string' || body.model === '') return 'you must provide a model parameter';
  if (body.stream !== true) return 'this server only streams';
  for (const tool of listOf(body.tools).map(objectOf)) {
    const { name, parameters } = objectOf(tool.function);
    if (tool.type !== 'function' || !NAME.test(String(name)) || !isObject(parameters)) return `Invalid tool ${name}`;
  }
  const messages = listOf(body.messages).map(objectOf);
  const refused = modelViolation(body) ?? fieldsViolation(messages, isDeepseek);
  if (refused !== null) return refused;
  if (messages.length === 0) return "Invalid 'messages': empty array";
  const last = messages.at(-1)?.role;
  if (last !== 'user' && last !== 'tool') return 'the conversation must end with a user or tool message';
  return orderViolation(messages);
}

function fieldsViolation(messages: readonly Fields[], isDeepseek: boolean): string | null {
  const isMissing = messages.some(
    ({ tool_calls: calls, reasoning_content: text }) => calls && typeof text !== 'string',
  );
  if (isDeepseek && isMissing) return 'The `reasoning_content` in the thinking mode must be passed back to the API.';
  const odd = messages.flatMap(Object.keys).find((key) => !KNOWN_IN_MESSAGES.includes(key));
  return odd === undefined ? null : `Unknown parameter: 'messages[].${odd}'`;
}

/** What OpenAI's own models refuse; of other servers' models nothing is known. */
function modelViolation({ model, tools, max_tokens, reasoning_effort: effort }: Fields): string | null {
  const facts = factsOf(model);
  if (facts === null) return null;
  if (facts.isNew && max_tokens !== undefined) {
    return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  }
  if (effort !== undefined && !facts.efforts.includes(String(effort))) {
    return `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model.`;
  }
  if (!facts.needsResponses || listOf(tools).length === 0 || effort === 'none') return null;
  return `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions.`;
}

function orderViolation(messages: readonly Fields[]): string | null {
  const made = new Set<string>();
  for (const [place, message] of messages.entries()) {
    const wrong = messageViolation(message, { before: messages[place - 1], made });
    if (wrong !== null) return `messages[${place}]: ${wrong}`;
  }
  return made.size === 0 ? null : `calls without results: ${[...made].join()}`;
}

interface Before {
  before: Fields | undefined;
  /** Calls that no result has come for. */
  made: Set<string>;
}

function messageViolation(message: Fields, { before, made }: Before): string | null {
  if (message.role !== 'tool' && made.size > 0) return `calls without results: ${[...made].join()}`;
  switch (message.role) {
    case 'system':
      if (before !== undefined) return 'the system prompt must be at the beginning';
      return isBlank(message.content) ? 'empty content' : null;
    case 'user':
    case 'assistant':
      return turnViolation(message, { before, made });
    case 'tool':
      if (!made.delete(String(message.tool_call_id))) return `no call has the id ${message.tool_call_id}`;
      return isBlank(message.content) ? 'empty content' : null;
    default:
      return `unknown role ${message.role}`;
  }
}

function turnViolation(message: Fields, { before, made }: Before): string | null {
  if (before?.role === message.role) return 'roles must alternate';
  if (message.role === 'user') return userViolation(message.content);
  if (before === undefined || before.role === 'system') return 'the conversation must start with a user message';
  return answerViolation(message, made);
}

function userViolation(content: unknown): string | null {
  if (!Array.isArray(content)) return isBlank(content) ? 'empty content' : null;
  if (content.length === 0) return 'empty content';
  const wrong = content.map(objectOf).find(({ type, text, image_url: image }) => {
    if (type === 'text') return isBlank(text);
    return type !== 'image_url' || !String(objectOf(image).url).startsWith('data:image/');
  });
  return wrong === undefined ? null : `a wrong part of type ${wrong.type}`;
}

function answerViolation({ content, tool_calls: calls }: Fields, made: Set<string>): string | null {
  if (calls === undefined) return isBlank(content) ? 'empty content' : null;
  if (content !== null && isBlank(content)) return 'empty content';
  for (const call of listOf(calls).map(objectOf)) {
    const { name, arguments: input } = objectOf(call.function);
    const id = String(call.id);
    if (!ID.test(id) || made.has(id)) return `the id ${id} is too long or used twice`;
    if (!NAME.test(String(name))) return `the name ${name} does not match`;
    if (typeof input !== 'string' || !isObject(JSON.parse(input))) return 'arguments must be the text of an object';
    made.add(id);
  }
  return made.size === 0 ? 'empty tool_calls' : null;
}
