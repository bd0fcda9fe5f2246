import { blocksOfType } from '../../../base/node_blocks.js';
import type { ModelMessage } from '../../../protocol/methods/context_methods.js';

/** Marks a stored signature as the name of the field that the thinking came in, and goes back in. */
const FIELD = 'field:';
const FIELDS = ['reasoning_content', 'reasoning', 'thinking'] as const;
/** Names for thinking: DeepSeek, llama.cpp and vLLM use the first, OpenRouter the second, Ollama the third. */
export type ThinkingField = (typeof FIELDS)[number];

export type ReturnedThinking = { [Field in ThinkingField]?: string };

/** Models that refuse calls in a conversation without the thinking that led to them. */
const NEEDS_THINKING = /deepseek/i;

export function fieldSignature(field: ThinkingField): string {
  return `${FIELD}${field}`;
}

/** The thinking of an answer in the field that it came in; nothing where this is another server's. */
export function returnedThinking(content: ModelMessage['content'], model: string): ReturnedThinking {
  const returned: ReturnedThinking = {};
  for (const { text, signature } of blocksOfType(content, 'thinking')) {
    const field = FIELDS.find((one) => signature === fieldSignature(one));
    if (field !== undefined) returned[field] = (returned[field] ?? '') + text;
  }
  const isMissing = returned.reasoning_content === undefined && blocksOfType(content, 'call').length > 0;
  return isMissing && NEEDS_THINKING.test(model) ? { ...returned, reasoning_content: '' } : returned;
}
