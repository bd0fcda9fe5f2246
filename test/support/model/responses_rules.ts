import { isDeepStrictEqual } from 'node:util';
import { isBlank, isObject } from './anthropic_rules.js';
import { factsOf } from './openai_facts.js';
import { listOf, objectOf } from './prompt_cache.js';
import { reasoningItem } from './responses_frames.js';

type Fields = Record<string, unknown>;

const KNOWN = [
  ...['model', 'instructions', 'input', 'tools', 'max_output_tokens', 'reasoning', 'include', 'prompt_cache_key'],
  ...['store', 'stream'],
];
const ID = /^.{1,64}$/s;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const KEY_LENGTH_MAX = 64;

/** What is wrong with a request, as OpenAI's Responses API would say it; null when it would be answered. */
export function responsesViolation(body: Fields): string | null {
  const unknown = Object.keys(body).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) return `Unknown parameter: '${unknown}'.`;
  if (typeof body.model !== 'string' || body.model === '') return 'you must provide a model parameter';
  if (body.stream !== true) return 'this server only streams';
  if (body.store !== false) return 'this server keeps nothing';
  if (body.instructions !== undefined && isBlank(body.instructions)) return "Invalid 'instructions': empty string";
  if (String(body.prompt_cache_key ?? '').length > KEY_LENGTH_MAX) return "Invalid 'prompt_cache_key': string too long";
  return reasoningViolation(body) ?? toolsViolation(body) ?? inputViolation(body);
}

function reasoningViolation({ model, reasoning, include }: Fields): string | null {
  const facts = factsOf(model);
  if (facts === null || (reasoning === undefined && include === undefined)) return null;
  if (facts.efforts.length === 0) return "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
  const { effort, summary, ...others } = objectOf(reasoning);
  if (Object.keys(others).length > 0) return `Unknown parameter: 'reasoning.${Object.keys(others)[0]}'.`;
  if (summary !== undefined && summary !== 'auto') return "Invalid value for 'reasoning.summary'";
  if (effort !== undefined && !facts.efforts.includes(String(effort))) {
    return `Unsupported value: '${effort}' is not supported with the '${model}' model.`;
  }
  return isDeepStrictEqual(include, ['reasoning.encrypted_content']) ? null : "Invalid 'include'";
}

function toolsViolation({ tools }: Fields): string | null {
  for (const { type, name, description, parameters, strict, ...others } of listOf(tools).map(objectOf)) {
    if (type !== 'function' || !NAME.test(String(name)) || Object.keys(others).length > 0)
      return `Invalid tool ${name}`;
    if (typeof description !== 'string' || objectOf(parameters).type !== 'object') return `Invalid tool ${name}`;
    if (strict !== false) return `Invalid schema for function '${name}': 'required' must have every key`;
  }
  return null;
}

function inputViolation({ input, model }: Fields): string | null {
  const items = listOf(input).map(objectOf);
  if (items.length === 0) return 'One of "input" or "previous_response_id" must be provided.';
  const open = new Set<string>();
  for (const [place, item] of items.entries()) {
    const wrong = itemViolation(item, { open, next: items[place + 1], model });
    if (wrong !== null) return `input[${place}]: ${wrong}`;
  }
  return open.size === 0 ? null : `No tool output found for function call ${[...open].join()}.`;
}

interface Around {
  /** The calls that no output has come for. */
  open: Set<string>;
  next: Fields | undefined;
  model: unknown;
}

function itemViolation(item: Fields, around: Around): string | null {
  switch (item.type ?? 'message') {
    case 'message':
      // An answer may go on in words behind its calls.
      if (item.role === 'assistant') return answerViolation(item, around.model);
      if (around.open.size > 0) return `No tool output found for function call ${[...around.open].join()}.`;
      return userViolation(item);
    case 'reasoning':
      return reasoningItemViolation(item, around.next);
    case 'function_call':
      return callViolation(item, around.open);
    case 'function_call_output':
      if (!around.open.delete(String(item.call_id)))
        return `No tool call found for function call output with call_id ${item.call_id}.`;
      return typeof item.output === 'string' ? null : partsViolation(item.output);
    default:
      return `Invalid value: '${item.type}'`;
  }
}

function answerViolation({ content, phase, ...others }: Fields, model: unknown): string | null {
  if (typeof content !== 'string' || content === '') return 'Invalid content of an assistant message';
  const hasPhase = ['gpt-5.4-mini', 'gpt-5.6-sol', 'gpt-6-sol'].includes(String(model));
  if (hasPhase !== (phase === 'commentary' || phase === 'final_answer')) return `Invalid 'phase' ${phase}`;
  return Object.keys(others).join() === 'role' ? null : `Unknown parameter among ${Object.keys(others)}`;
}

function userViolation({ role, content }: Fields): string | null {
  return role === 'user' ? partsViolation(content) : `Invalid role ${role}`;
}

function partsViolation(content: unknown): string | null {
  const parts = listOf(content).map(objectOf);
  if (parts.length === 0) return 'empty content';
  const wrong = parts.find(({ type, text, image_url: image }) => {
    if (type === 'input_text') return isBlank(text);
    return type !== 'input_image' || !String(image).startsWith('data:image/');
  });
  return wrong === undefined ? null : `Invalid part of type ${wrong.type}`;
}

function reasoningItemViolation(item: Fields, next: Fields | undefined): string | null {
  const text = listOf(item.summary)
    .map((part) => String(objectOf(part).text))
    .join('');
  if (!isDeepStrictEqual(item, reasoningItem(text)))
    return `The encrypted content for item ${item.id} could not be verified.`;
  const follows = next?.type === 'reasoning' || next?.type === 'function_call' || next?.role === 'assistant';
  return follows ? null : `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
}

function callViolation({ call_id, name, arguments: input }: Fields, open: Set<string>): string | null {
  const id = String(call_id);
  if (!ID.test(id) || open.has(id)) return `Invalid call_id ${id}`;
  if (!NAME.test(String(name))) return `Invalid 'name' ${name}`;
  if (typeof input !== 'string' || !isObject(JSON.parse(input))) return 'Invalid arguments';
  open.add(id);
  return null;
}
