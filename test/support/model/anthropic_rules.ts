import type { IncomingMessage } from 'node:http';
import { listOf, objectOf } from './prompt_cache.js';
import { signatureOf } from './script.js';

type Fields = Record<string, unknown>;

const KNOWN = ['model', 'max_tokens', 'system', 'tools', 'messages', 'thinking', 'output_config', 'stream'];
const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MARKS_MAX = 4;
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];
const IMAGE_CHARACTERS_MAX = 5 * 1024 * 1024;

/** What is wrong with a request, as the real server would say it; null when it would be answered. */
export function anthropicViolation(
  { body, headers }: { body: Fields; headers: IncomingMessage['headers'] },
  { paused }: { paused: ReadonlySet<string> },
): string | null {
  if (headers['anthropic-version'] === undefined) return 'anthropic-version: header is required';
  const unknown = Object.keys(body).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) return `${unknown}: extra inputs are not permitted`;
  if (typeof body.model !== 'string' || body.model === '') return 'model: is required';
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) return 'max_tokens: must be at least 1';
  if (body.stream !== true) return 'stream: this server only streams';
  const messages = listOf(body.messages).map(objectOf);
  return (
    effortViolation(body) ??
    thinkingViolation(body) ??
    marksViolation(body) ??
    toolsViolation(body) ??
    rolesViolation(messages, paused) ??
    first(messages, contentViolation) ??
    pairingViolation(messages)
  );
}

function first<T>(list: readonly T[], look: (item: T, place: number) => string | null): string | null {
  for (const [place, item] of list.entries()) {
    const found = look(item, place);
    if (found !== null) return found;
  }
  return null;
}

function effortViolation({ model, output_config: config }: Fields): string | null {
  if (config === undefined) return null;
  const { effort, ...others } = objectOf(config);
  if (Object.keys(others).length > 0) return 'output_config: extra inputs are not permitted';
  if (!/^claude-[a-z]+-(4-[6-9]|[5-9])/.test(String(model))) return 'output_config: not supported on this model';
  return EFFORTS.includes(String(effort)) ? null : `output_config.effort: ${effort}`;
}

function thinkingViolation({ model, thinking, max_tokens: most }: Fields): string | null {
  if (thinking === undefined) return null;
  const { type, budget_tokens: budget } = objectOf(thinking);
  const isNew = /^claude-[a-z]+-(4-[6-9]|[5-9])/.test(String(model));
  const isHidden = /^claude-(opus|fable|mythos)-5-\d/.test(String(model));
  const hasNotes = /^claude-sonnet-5-5/.test(String(model));
  if (type === 'disabled') {
    return isHidden || hasNotes ? '"thinking.type.disabled" is not supported for this model.' : null;
  }
  if (type === 'between_tools') return hasNotes ? null : 'thinking.type: between_tools is not supported on this model';
  if (type === 'adaptive') return isNew ? null : 'thinking: adaptive thinking is not supported on this model';
  if (type !== 'enabled') return 'thinking.type: unknown';
  if (isNew) return '"thinking.type.enabled" is not supported for this model';
  return Number(budget) >= 1_024 && Number(budget) < Number(most) ? null : 'thinking.budget_tokens: out of range';
}

function marksViolation({ system, tools, messages }: Fields): string | null {
  const content = listOf(messages).flatMap((message) => listOf(objectOf(message).content));
  const blocks = [...listOf(tools), ...listOf(system), ...content].map(objectOf);
  const marks = blocks.filter(({ cache_control: mark }) => mark !== undefined);
  if (marks.length > MARKS_MAX)
    return `A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`;
  if (marks.some(({ type }) => type === 'thinking' || type === 'redacted_thinking')) {
    return 'cache_control: not permitted on thinking blocks';
  }
  return blocks.some(({ type, text }) => type === 'text' && isBlank(text))
    ? 'text content blocks must be non-empty'
    : null;
}

function toolsViolation({ tools }: Fields): string | null {
  const names = new Set<unknown>();
  return first(listOf(tools).map(objectOf), ({ name, input_schema: schema }) => {
    if (!NAME.test(String(name))) return `tools: the name ${name} does not match`;
    if (names.has(name)) return 'tools: tool names must be unique';
    names.add(name);
    return objectOf(schema).type === 'object' ? null : 'tools: input_schema.type must be object';
  });
}

function rolesViolation(messages: readonly Fields[], paused: ReadonlySet<string>): string | null {
  if (messages.length === 0) return 'messages: at least one message is required';
  const wrong = first(messages, ({ role }, place) =>
    role === (place % 2 === 0 ? 'user' : 'assistant') ? null : `messages.${place}: roles must alternate`,
  );
  if (wrong !== null) return wrong;
  const last = messages.at(-1);
  const isPaused = paused.has(String(objectOf(listOf(last?.content).at(-1)).text));
  return last?.role === 'user' || isPaused ? null : 'the conversation must end with a user message';
}

function contentViolation({ role, content }: Fields, place: number): string | null {
  const blocks = listOf(content).map(objectOf);
  if (blocks.length === 0) return `messages.${place}: must have non-empty content`;
  const last = blocks.at(-1);
  if (role === 'assistant' && (last?.type === 'thinking' || last?.type === 'redacted_thinking')) {
    return `messages.${place}: the final block in an assistant message cannot be thinking`;
  }
  const wrong = first(blocks, role === 'assistant' ? assistantViolation : userViolation);
  return wrong === null ? null : `messages.${place}.${wrong}`;
}

function assistantViolation({ type, ...block }: Fields): string | null {
  switch (type) {
    case 'text':
      return isBlank(block.text) ? 'text content blocks must contain non-whitespace text' : null;
    case 'thinking':
      return block.signature === signatureOf(String(block.thinking)) ? null : 'Invalid `signature` in `thinking` block';
    case 'redacted_thinking':
      return String(block.data).startsWith('hidden-') ? null : 'Invalid `data` in `redacted_thinking` block';
    case 'tool_use':
      if (!ID.test(String(block.id))) return 'tool_use.id: String should match pattern';
      if (!NAME.test(String(block.name))) return 'tool_use.name: String should match pattern';
      return isObject(block.input) ? null : 'tool_use.input: Input should be a valid dictionary';
    default:
      return `${type}: not allowed in an assistant message`;
  }
}

function userViolation({ type, ...block }: Fields): string | null {
  switch (type) {
    case 'text':
      return isBlank(block.text) ? 'text content blocks must contain non-whitespace text' : null;
    case 'image':
      return imageViolation(objectOf(block.source));
    case 'tool_result':
      if (listOf(block.content).length === 0 && block.is_error) return 'content cannot be empty if `is_error` is true';
      return first(listOf(block.content).map(objectOf), userViolation);
    default:
      return `${type}: not allowed in a user message`;
  }
}

function imageViolation({ type, data }: Fields): string | null {
  if (type !== 'base64' || typeof data !== 'string') return 'image: wrong source';
  return data.length > IMAGE_CHARACTERS_MAX ? 'image exceeds 5 MB maximum' : null;
}

/** Every call is answered in the very next message, first in it and once; nothing else is answered. */
function pairingViolation(messages: readonly Fields[]): string | null {
  const used = new Set<unknown>();
  return first(messages, ({ content }, place) => {
    const made = idsOf(listOf(messages[place - 1]?.content), 'tool_use', 'id');
    const blocks = listOf(content).map(objectOf);
    const answered = idsOf(blocks, 'tool_result', 'tool_use_id');
    if (blocks.slice(0, answered.length).some(({ type }) => type !== 'tool_result' && answered.length > 0)) {
      return `messages.${place}: tool_result blocks must come first`;
    }
    if ([...made].sort().join() !== [...answered].sort().join()) {
      return `messages.${place}: \`tool_use\` ids ${made} were answered by \`tool_result\` blocks ${answered}`;
    }
    const again = idsOf(blocks, 'tool_use', 'id').find((id) => used.has(id) || used.size === used.add(id).size);
    return again === undefined ? null : '`tool_use` ids must be unique';
  });
}

function idsOf(content: unknown[], type: string, field: string): string[] {
  return content.map(objectOf).flatMap((block) => (block.type === type ? [String(block[field])] : []));
}

export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
