import { blocksOfType, textsOf } from '../../../base/node_blocks.js';
import type { ModelMessage } from '../../../protocol/methods/context_methods.js';
import type { Block } from '../../../protocol/node.js';
import type { ModelRequest } from '../../model/provider.js';
import { type CallIds, callIds, sentTool } from '../blocks/call_ids_and_tool_names.js';
import { type ImageLimits, imageSender } from '../blocks/images.js';
import { BEGINNING, NO_OUTPUT } from '../blocks/placeholders.js';

const SEEN_BELOW = '(an image, shown below)';

const IMAGE_LIMITS: ImageLimits = {
  charactersMax: 20 * 1024 * 1024,
  totalCharactersMax: 40 * 1024 * 1024,
  sideMax: 16_000,
  few: 20,
  sideMaxOfMany: 8_000,
  countMax: 100,
};

type Part = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };
interface WireCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}
interface UserMessage {
  role: 'user';
  content: string | Part[];
}
export type ChatMessage =
  | { role: 'system'; content: string }
  | UserMessage
  | { role: 'assistant'; content: string | null; tool_calls?: WireCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

type Content = ModelMessage['content'][number];
type ResultBlock = Extract<Content, { type: 'result' }>;

/** What is made along the way, in the order of the messages. */
interface Making {
  ids: CallIds;
  sendImage: ReturnType<typeof imageSender>;
}

/** The tools as this API describes them. */
export function openaiTools({ tools }: ModelRequest) {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function' as const,
      function: { name, description, parameters: schema },
    })),
  };
}

/** The messages as this API wants them: the results of calls as messages of their own, what a person says in one. */
export async function openaiMessages(request: ModelRequest): Promise<ChatMessage[]> {
  const making: Making = { ids: callIds(), sendImage: imageSender(request.loadImage, IMAGE_LIMITS) };
  const { systemPrompt } = request;
  const messages: ChatMessage[] = systemPrompt.trim() === '' ? [] : [{ role: 'system', content: systemPrompt }];
  for (const { role, content } of request.messages) {
    if (role === 'assistant') addAnswer(messages, content, making);
    else await addUser(messages, content, making);
  }
  return messages;
}

/** Thinking is not sent: this API has no place for it. */
function addAnswer(messages: ChatMessage[], content: readonly Content[], { ids }: Making): void {
  const text = textsOf(content).filter((line) => line.trim() !== '');
  const calls = blocksOfType(content, 'call').map((block) => wireCall(block, ids));
  if (text.length === 0 && calls.length === 0) return;
  const last = messages.at(-1);
  if (last === undefined || last.role === 'system') messages.push({ role: 'user', content: BEGINNING });
  const isMore = last?.role === 'assistant' && last.tool_calls === undefined;
  if (isMore) messages.pop();
  const lines = isMore && last.content !== null ? [last.content, ...text] : text;
  const said = lines.length === 0 ? null : lines.join('\n\n');
  messages.push({ role: 'assistant', content: said, ...(calls.length === 0 ? {} : { tool_calls: calls }) });
}

function wireCall({ id, tool, input }: Extract<Content, { type: 'call' }>, ids: CallIds): WireCall {
  return { id: ids.call(id), type: 'function', function: { name: sentTool(tool), arguments: JSON.stringify(input) } };
}

async function addUser(messages: ChatMessage[], content: readonly Content[], making: Making): Promise<void> {
  const parts: Part[] = [];
  for (const block of content) {
    if (block.type === 'result') messages.push(await wireResult(block, making, parts));
    else parts.push(...(await wireParts(block, making)));
  }
  if (parts.length === 0) return;
  // Templates of many models want a person and the model to take turns.
  const last = messages.at(-1);
  if (last?.role === 'user') last.content = plain([...partsOf(last), ...parts]);
  else messages.push({ role: 'user', content: plain(parts) });
}

/** A result has text only: its images are shown in the message of the person that follows. */
async function wireResult(block: ResultBlock, making: Making, shown: Part[]): Promise<ChatMessage> {
  const lines: string[] = [];
  for (const inner of block.content) {
    for (const part of await wireParts(inner, making)) {
      if (part.type === 'image_url') shown.push(part);
      lines.push(part.type === 'image_url' ? SEEN_BELOW : part.text);
    }
  }
  const text = lines.length === 0 ? NO_OUTPUT : lines.join('\n');
  // This API has no mark for a call that failed.
  return { role: 'tool', tool_call_id: making.ids.result(block.id), content: block.failed ? `Error: ${text}` : text };
}

/** What somebody else than the model says. */
async function wireParts(block: Block, making: Making): Promise<Part[]> {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text }];
    case 'image':
      return [await wireImage(block, making)];
    case 'thinking':
    case 'call':
      return [];
  }
}

async function wireImage(block: Extract<Content, { type: 'image' }>, { sendImage }: Making): Promise<Part> {
  const sent = await sendImage(block);
  if (sent.kind === 'text') return { type: 'text', text: sent.text };
  return { type: 'image_url', image_url: { url: `data:${sent.mediaType};base64,${sent.base64}` } };
}

function partsOf({ content }: UserMessage): Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Text alone goes as a string: not every server knows parts. */
function plain(parts: Part[]): string | Part[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n\n') : parts;
}
