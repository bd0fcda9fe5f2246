import type { ModelMessage } from '../../../protocol/methods/context_methods.js';
import type { Block } from '../../../protocol/node.js';
import type { ModelRequest } from '../../model/provider.js';
import { type CallIds, callIds, sentToolName } from '../blocks/call_ids_and_tool_names.js';
import { imageSender } from '../blocks/images.js';
import { NO_OUTPUT } from '../blocks/placeholders.js';
import { OPENAI_IMAGE_LIMITS } from '../openai/image_limits.js';
import { hasPhases } from '../openai/openai_models.js';
import { type ReasoningItem, reasoningItem } from './reasoning_item.js';

type Part = { type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' };
export type InputItem =
  | { role: 'user'; content: Part[] }
  | { role: 'assistant'; content: string; phase?: 'commentary' | 'final_answer' }
  | ReasoningItem
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | Part[] };

type Content = ModelMessage['content'][number];

interface Conversion {
  ids: CallIds;
  sendImage: ReturnType<typeof imageSender>;
  hasPhases: boolean;
}

/** The tools in this protocol. */
export function responsesTools({ tools }: ModelRequest) {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, schema }) => ({
      ...{ type: 'function' as const, name, description, parameters: schema },
      // Our schemas have optional fields, which the strict mode does not know.
      strict: false,
    })),
  };
}

/** The messages in this protocol: a flat list in which each block is an item, and reasoning stands where it was made. */
export async function inputItems({ messages, model, loadImage }: ModelRequest): Promise<InputItem[]> {
  const conversion: Conversion = {
    ids: callIds(),
    sendImage: imageSender(loadImage, OPENAI_IMAGE_LIMITS),
    hasPhases: hasPhases(model),
  };
  const items: InputItem[] = [];
  for (const { role, content } of messages) {
    if (role === 'assistant') items.push(...answerItems(content, conversion));
    else items.push(...(await userItems(content, conversion)));
  }
  return items;
}

function answerItems(content: readonly Content[], conversion: Conversion): InputItem[] {
  const phase = content.some(({ type }) => type === 'call') ? 'commentary' : 'final_answer';
  const items = content.map((block) => answerItem(block, phase, conversion)).filter((item) => item !== null);
  // Reasoning is refused without what it led to.
  return items.slice(0, items.findLastIndex((item) => !('encrypted_content' in item)) + 1);
}

function answerItem(block: Content, phase: 'commentary' | 'final_answer', conversion: Conversion): InputItem | null {
  switch (block.type) {
    case 'text':
      if (block.text.trim() === '') return null;
      return { role: 'assistant', content: block.text, ...(conversion.hasPhases ? { phase } : {}) };
    case 'thinking':
      return reasoningItem(block.signature);
    case 'call': {
      const call_id = conversion.ids.call(block.id);
      const name = sentToolName(block.tool);
      return { type: 'function_call', call_id, name, arguments: JSON.stringify(block.input) };
    }
    case 'image':
    case 'result':
    case 'kept':
      return null;
  }
}

async function userItems(content: readonly Content[], conversion: Conversion): Promise<InputItem[]> {
  const items: InputItem[] = [];
  const parts: Part[] = [];
  for (const block of content) {
    if (block.type === 'result') items.push(await resultItem(block, conversion));
    else parts.push(...(await partsOf(block, conversion)));
  }
  return parts.length === 0 ? items : [...items, { role: 'user', content: parts }];
}

async function resultItem(
  { id, content, failed }: Extract<Content, { type: 'result' }>,
  conversion: Conversion,
): Promise<InputItem> {
  const parts: Part[] = [];
  for (const block of content) parts.push(...(await partsOf(block, conversion)));
  if (parts.length === 0) parts.push({ type: 'input_text', text: NO_OUTPUT });
  // This protocol has no field for a failed call.
  const [first] = parts;
  if (failed && first?.type === 'input_text') first.text = `Error: ${first.text}`;
  const texts = parts.flatMap((part) => (part.type === 'input_text' ? [part.text] : []));
  const output = texts.length === parts.length ? texts.join('\n') : parts;
  return { type: 'function_call_output', call_id: conversion.ids.result(id), output };
}

/** A block of a person or a tool. */
async function partsOf(block: Block, { sendImage }: Conversion): Promise<Part[]> {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ type: 'input_text', text: block.text }];
    case 'image': {
      const sent = await sendImage(block);
      if (sent.kind === 'text') return [{ type: 'input_text', text: sent.text }];
      return [{ type: 'input_image', image_url: `data:${sent.mediaType};base64,${sent.base64}`, detail: 'auto' }];
    }
    case 'thinking':
    case 'call':
    case 'kept':
      return [];
  }
}
