import { isBlank, isObject } from './anthropic_rules.js';
import { type Ollama, type OllamaModel, ollamaLoad, ollamaModel } from './ollama_models.js';
import { listOf, objectOf } from './prompt_cache.js';

type Fields = Record<string, unknown>;

const KNOWN = ['model', 'messages', 'tools', 'think', 'stream', 'truncate', 'shift', 'options'];
const KNOWN_OPTIONS = ['num_ctx', 'num_predict'];
const KNOWN_IN_MESSAGES = ['role', 'content', 'thinking', 'images', 'tool_calls', 'tool_call_id', 'tool_name'];
const THINK: unknown[] = [true, false, 'low', 'medium', 'high', 'max'];
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const BYTES_PER_TOKEN = 4;

interface MadeCall {
  id: unknown;
  name: unknown;
}

/** What is wrong with a request to Ollama's /api/chat, which ignores much of what is refused here; null for nothing. */
export function ollamaViolation(body: Fields, ollama: Ollama): string | null {
  const unknown = Object.keys(body).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) return `unknown field ${unknown}`;
  const model = ollamaModel(ollama, String(body.model));
  if (model === null) return `model '${body.model}' not found`;
  if (body.stream !== true || body.truncate !== false || body.shift !== false) return 'it may be cut';
  const messages = listOf(body.messages).map(objectOf);
  const refused =
    abilityViolation(body, model) ?? optionsViolation(body, model) ?? toolsViolation(body) ?? orderViolation(messages);
  if (refused !== null) return refused;
  const context = Number(objectOf(body.options).num_ctx ?? 4_096);
  if (model.remote_host === undefined) ollamaLoad(ollama.runner, String(body.model), context);
  const tokens = JSON.stringify(messages.map(({ images: _, ...rest }) => rest)).length / BYTES_PER_TOKEN;
  return tokens > context ? `request (${tokens} tokens) exceeds the available context size (${context} tokens)` : null;
}

function abilityViolation({ model, tools, think, messages }: Fields, { capabilities, model_info: info }: OllamaModel) {
  if (listOf(tools).length > 0 && !capabilities.includes('tools')) return `${model} does not support tools`;
  if (think !== undefined && !THINK.includes(think)) return `invalid think value: ${think}`;
  if (think && !capabilities.includes('thinking')) return `"${model}" does not support thinking`;
  const isOss = info['general.architecture'] === 'gptoss';
  if (isOss && (think === false || think === 'max')) return 'gpt-oss knows low, medium and high';
  const hasImages = listOf(messages).some((message) => objectOf(message).images !== undefined);
  return hasImages && !capabilities.includes('vision') ? 'this model is missing data required for image input' : null;
}

function optionsViolation({ options }: Fields, { model_info: info, remote_host }: OllamaModel): string | null {
  const given = objectOf(options);
  const unknown = Object.keys(given).find((key) => !KNOWN_OPTIONS.includes(key));
  if (unknown !== undefined) return `invalid option provided: ${unknown}`;
  const wrong = Object.entries(given).find(([, value]) => !Number.isSafeInteger(value) || Number(value) < 1);
  if (wrong !== undefined) return `option "${wrong[0]}" must be of type integer`;
  const most = Number(info[`${info['general.architecture']}.context_length`]);
  if (remote_host !== undefined) return given.num_ctx === undefined ? null : 'the context is not yours to choose';
  return Number(given.num_ctx) > most ? 'requested context size too large for model' : null;
}

function toolsViolation({ tools }: Fields): string | null {
  const wrong = listOf(tools)
    .map(objectOf)
    .find(({ type, function: named }) => {
      const { name, description, parameters } = objectOf(named);
      return type !== 'function' || !NAME.test(String(name)) || isBlank(description) || !isObject(parameters);
    });
  return wrong === undefined ? null : `invalid tool ${JSON.stringify(wrong)}`;
}

/** The order that the templates of most models want. */
function orderViolation(messages: readonly Fields[]): string | null {
  if (messages.length === 0) return 'no messages: the model would only be loaded';
  const made: MadeCall[] = [];
  let before: unknown;
  for (const message of messages) {
    const wrong = messageViolation(message, before, made);
    if (wrong !== null) return wrong;
    before = message.role;
  }
  return before === 'user' || before === 'tool' ? null : 'the conversation must end with a user or tool message';
}

function messageViolation(message: Fields, before: unknown, made: MadeCall[]): string | null {
  const odd = Object.keys(message).find((key) => !KNOWN_IN_MESSAGES.includes(key));
  if (odd !== undefined) return `unknown field ${odd} in a message`;
  if (typeof message.content !== 'string') return 'content must be a string';
  const { role, content, images, tool_calls: calls } = message;
  if (role === 'tool') return resultViolation(message, made);
  if (made.length > 0) return `calls without results: ${JSON.stringify(made)}`;
  if (role === before) return 'roles must alternate';
  if (role === 'system')
    return before === undefined && !isBlank(content) ? null : 'the system prompt is misplaced or empty';
  if (role === 'user') return userViolation(content, images);
  if (before === undefined || before === 'system') return 'the conversation must start with a user message';
  return role === 'assistant' ? answerViolation(content, calls, made) : `unknown role ${role}`;
}

function resultViolation({ content, tool_call_id: id, tool_name: name }: Fields, made: MadeCall[]): string | null {
  const at = made.findIndex((one) => one.id === id && one.name === name);
  if (at < 0 || isBlank(content)) return `no call of ${name} has the id ${id}, or it has no result`;
  made.splice(at, 1);
  return null;
}

function userViolation(content: string, images: unknown): string | null {
  if (images === undefined) return isBlank(content) ? 'empty content' : null;
  const all = listOf(images);
  return all.length > 0 && all.every((image) => BASE64.test(String(image))) ? null : 'illegal base64 data';
}

function answerViolation(content: string, calls: unknown, made: MadeCall[]): string | null {
  if (calls === undefined) return isBlank(content) ? 'empty content' : null;
  for (const call of listOf(calls).map(objectOf)) {
    const { name, arguments: input } = objectOf(call.function);
    if (!NAME.test(String(name)) || !isObject(input)) return 'Value looks like object, but can’t find closing bracket';
    if (made.some(({ id }) => id === call.id)) return `the id ${call.id} is used twice`;
    made.push({ id: call.id, name });
  }
  return made.length === 0 ? 'empty tool_calls' : null;
}
