import type { ModelMessage } from '../../../protocol/methods/context_methods.js';
import type { Block } from '../../../protocol/node.js';
import type { ModelRequest } from '../../model/provider.js';
import { MESSAGE_MARKS_MAX } from '../../request/cache_marks.js';
import { type CallIds, callIds, sentToolName } from '../blocks/call_ids_and_tool_names.js';
import { type ImageLimits, imageSender, type SentImage } from '../blocks/images.js';
import { BEGINNING, NO_OUTPUT } from '../blocks/placeholders.js';

/** Marks a stored signature as the data of redacted thinking; a real signature has no colon. */
export const REDACTED = 'redacted_thinking:';

const IMAGE_LIMITS: ImageLimits = {
  charactersMax: 5 * 1024 * 1024,
  totalCharactersMax: 20 * 1024 * 1024,
  sideMax: 8_000,
  few: 20,
  sideMaxOfMany: 2_000,
  countMax: 100,
};

/** How long a mark says that is kept what it marks; null where that is not for a request to say. */
export type CacheTtl = '5m' | '1h' | null;
interface CacheMark {
  type: 'ephemeral';
  ttl?: '5m' | '1h';
}
interface WireText {
  type: 'text';
  text: string;
  cache_control?: CacheMark;
}
interface WireImage {
  type: 'image';
  source: { type: 'base64'; media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'; data: string };
  cache_control?: CacheMark;
}
interface WireResult {
  type: 'tool_result';
  tool_use_id: string;
  content: (WireText | WireImage)[];
  is_error: boolean;
  cache_control?: CacheMark;
}
type WireBlock =
  | WireText
  | WireImage
  | WireResult
  | { type: 'tool_use'; id: string; name: string; input: unknown; cache_control?: CacheMark }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string };
export interface AnthropicMessage {
  role: 'user' | 'assistant';
  content: WireBlock[];
}

type Content = ModelMessage['content'][number];

/** The system prompt, the tools and the first cache mark: the same for every node of a branch. */
export function anthropicPrefix({ systemPrompt, tools }: ModelRequest, ttl: CacheTtl) {
  const mark = markOf(ttl);
  const hasPrompt = systemPrompt.trim() !== '';
  return {
    ...(hasPrompt ? { system: [{ type: 'text' as const, text: systemPrompt, cache_control: mark }] } : {}),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, schema }, index) => ({
            name,
            description,
            input_schema: { type: 'object' as const, ...schema },
            // The mark of the prompt covers the tools, which stand before it.
            ...(!hasPrompt && index === tools.length - 1 ? { cache_control: mark } : {}),
          })),
        }),
  };
}

/** The messages in this dialect: alternating roles, nothing empty, cache marks where the request says. */
export async function anthropicMessages(request: ModelRequest, ttl: CacheTtl): Promise<AnthropicMessage[]> {
  const ids = callIds();
  const sendImage = imageSender(request.loadImage, IMAGE_LIMITS);
  const marked = new Set(request.cache.messages.slice(-MESSAGE_MARKS_MAX));
  const messages: AnthropicMessage[] = [];
  for (const [index, { role, content }] of request.messages.entries()) {
    const blocks: WireBlock[] = [];
    for (const block of content) {
      const wire = await wireBlock(block, ids, sendImage);
      if (wire !== null) blocks.push(wire);
    }
    addMessage(messages, role, role === 'assistant' ? withoutTrailingThinking(blocks) : blocks);
    // A message of which nothing is sent leaves its mark to the previous one.
    if (marked.has(index)) markLast(messages.at(-1)?.content ?? [], markOf(ttl));
  }
  return messages;
}

function addMessage(messages: AnthropicMessage[], role: AnthropicMessage['role'], content: WireBlock[]): void {
  if (content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === role) last.content.push(...content);
  else if (last === undefined && role === 'assistant') {
    messages.push({ role: 'user', content: [{ type: 'text', text: BEGINNING }] }, { role, content });
  } else messages.push({ role, content });
}

async function wireBlock(
  block: Content,
  ids: CallIds,
  sendImage: ReturnType<typeof imageSender>,
): Promise<WireBlock | null> {
  switch (block.type) {
    case 'text':
      return wireText(block.text);
    case 'thinking':
      return wireThinking(block);
    case 'call':
      return { type: 'tool_use', id: ids.call(block.id), name: sentToolName(block.tool), input: block.input };
    case 'image':
      return wireImage(await sendImage(block));
    case 'result':
      return wireResult(block, ids, sendImage);
    case 'kept':
      return null;
  }
}

async function wireResult(
  { id, content, failed }: Extract<Content, { type: 'result' }>,
  ids: CallIds,
  sendImage: ReturnType<typeof imageSender>,
): Promise<WireResult> {
  const sent: (WireText | WireImage)[] = [];
  for (const block of content) {
    const wire = await wireResultBlock(block, sendImage);
    if (wire !== null) sent.push(wire);
  }
  if (sent.length === 0) sent.push({ type: 'text', text: NO_OUTPUT });
  return { type: 'tool_result', tool_use_id: ids.result(id), content: sent, is_error: failed };
}

async function wireResultBlock(
  block: Block,
  sendImage: ReturnType<typeof imageSender>,
): Promise<WireText | WireImage | null> {
  switch (block.type) {
    case 'text':
      return wireText(block.text);
    case 'image':
      return wireImage(await sendImage(block));
    case 'thinking':
    case 'call':
    case 'kept':
      return null;
  }
}

/** This API refuses text without a visible character. */
function wireText(text: string): WireText | null {
  return text.trim() === '' ? null : { type: 'text', text };
}

function wireThinking({ text, signature }: Extract<Content, { type: 'thinking' }>): WireBlock | null {
  if (signature === null) return null;
  if (signature.startsWith(REDACTED)) return { type: 'redacted_thinking', data: signature.slice(REDACTED.length) };
  return { type: 'thinking', thinking: text, signature };
}

function wireImage(sent: SentImage): WireText | WireImage {
  if (sent.kind === 'text') return { type: 'text', text: sent.text };
  return { type: 'image', source: { type: 'base64', media_type: sent.mediaType, data: sent.base64 } };
}

/** Thinking at the end is refused: it belongs to the text or call after it. */
function withoutTrailingThinking(blocks: WireBlock[]): WireBlock[] {
  return blocks.slice(0, blocks.findLastIndex((block) => !isThinking(block)) + 1);
}

export function isThinking(block: WireBlock | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

function markOf(ttl: CacheTtl): CacheMark {
  return { type: 'ephemeral', ...(ttl === null ? {} : { ttl }) };
}

function markLast(blocks: WireBlock[], mark: CacheMark): void {
  const last = blocks.at(-1);
  if (last !== undefined && last.type !== 'thinking' && last.type !== 'redacted_thinking') last.cache_control = mark;
}
