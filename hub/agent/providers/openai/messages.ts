import { blocksOfType, textsOf } from '../../../base/node_blocks.js';
import type { ModelMessage } from '../../../protocol/methods/context_methods.js';
import type { Block } from '../../../protocol/node.js';
import type { ModelRequest } from '../../model/provider.js';
import { type CallIds, callIds, MISTRAL_IDS, sentToolName, USUAL_IDS } from '../blocks/call_ids_and_tool_names.js';
import { imageSender } from '../blocks/images.js';
import { BEGINNING, NO_OUTPUT } from '../blocks/placeholders.js';
import { OPENAI_IMAGE_LIMITS } from './image_limits.js';
import { type ReturnedThinking, returnedThinking } from './returned_thinking.js';

const IMAGE_BELOW = '(an image, shown below)';

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
  | ({ role: 'assistant'; content: string | null; tool_calls?: WireCall[] } & ReturnedThinking)
  | { role: 'tool'; tool_call_id: string; content: string };

type Content = ModelMessage['content'][number];
type ResultBlock = Extract<Content, { type: 'result' }>;

/** What gives out ids and loads images, in the order of the messages. */
interface Conversion {
  ids: CallIds;
  sendImage: ReturnType<typeof imageSender>;
  model: string;
}

/** The tools in this dialect. */
export function openaiTools({ tools }: ModelRequest) {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function' as const,
      function: { name, description, parameters: schema },
    })),
  };
}

/** The messages in this dialect: each result of a call is a message of its own, what a person says is one. */
export async function openaiMessages(request: ModelRequest, variant: 'mistral' | null = null): Promise<ChatMessage[]> {
  const { systemPrompt, model, loadImage } = request;
  const ids = callIds(variant === 'mistral' ? MISTRAL_IDS : USUAL_IDS);
  const conversion: Conversion = { ids, sendImage: imageSender(loadImage, OPENAI_IMAGE_LIMITS), model };
  const messages: ChatMessage[] = systemPrompt.trim() === '' ? [] : [{ role: 'system', content: systemPrompt }];
  for (const { role, content } of request.messages) {
    if (role === 'assistant') addAnswer(messages, content, conversion);
    else await addUser(messages, content, conversion);
  }
  return messages;
}

/** Thinking goes back where it came in a field of its own. */
function addAnswer(messages: ChatMessage[], content: Content[], { ids, model }: Conversion): void {
  const text = textsOf(content).filter((line) => line.trim() !== '');
  const calls = blocksOfType(content, 'call').map((block) => wireCall(block, ids));
  if (text.length === 0 && calls.length === 0) return;
  const last = messages.at(-1);
  if (last === undefined || last.role === 'system') messages.push({ role: 'user', content: BEGINNING });
  const isMore = last?.role === 'assistant' && last.tool_calls === undefined;
  if (isMore) messages.pop();
  const lines = isMore && last.content !== null ? [last.content, ...text] : text;
  const joined = lines.length === 0 ? null : lines.join('\n\n');
  const thinking = returnedThinking(content, model);
  messages.push({
    role: 'assistant',
    content: joined,
    ...thinking,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  });
}

function wireCall({ id, tool, input }: Extract<Content, { type: 'call' }>, ids: CallIds): WireCall {
  return {
    id: ids.call(id),
    type: 'function',
    function: { name: sentToolName(tool), arguments: JSON.stringify(input) },
  };
}

async function addUser(messages: ChatMessage[], content: readonly Content[], conversion: Conversion): Promise<void> {
  const parts: Part[] = [];
  for (const block of content) {
    if (block.type === 'result') messages.push(await wireResult(block, conversion, parts));
    else parts.push(...(await wireParts(block, conversion)));
  }
  if (parts.length === 0) return;
  // Templates of many models want the roles to alternate.
  const last = messages.at(-1);
  if (last?.role === 'user') last.content = simplest([...partsOf(last), ...parts]);
  else messages.push({ role: 'user', content: simplest(parts) });
}

/** A result has text only: its images go into the user message that follows. */
async function wireResult(block: ResultBlock, conversion: Conversion, images: Part[]): Promise<ChatMessage> {
  const lines: string[] = [];
  for (const inner of block.content) {
    for (const part of await wireParts(inner, conversion)) {
      if (part.type === 'image_url') images.push(part);
      lines.push(part.type === 'image_url' ? IMAGE_BELOW : part.text);
    }
  }
  const text = lines.length === 0 ? NO_OUTPUT : lines.join('\n');
  // This dialect has no field for a failed call.
  return {
    role: 'tool',
    tool_call_id: conversion.ids.result(block.id),
    content: block.failed ? `Error: ${text}` : text,
  };
}

/** A block of a person or a tool. */
async function wireParts(block: Block, conversion: Conversion): Promise<Part[]> {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text }];
    case 'image':
      return [await wireImage(block, conversion)];
    case 'thinking':
    case 'call':
    case 'kept':
      return [];
  }
}

async function wireImage(block: Extract<Content, { type: 'image' }>, { sendImage }: Conversion): Promise<Part> {
  const sent = await sendImage(block);
  if (sent.kind === 'text') return { type: 'text', text: sent.text };
  return { type: 'image_url', image_url: { url: `data:${sent.mediaType};base64,${sent.base64}` } };
}

function partsOf({ content }: UserMessage): Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Text alone is sent as a string: not every server accepts parts. */
function simplest(parts: Part[]): string | Part[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n\n') : parts;
}
