import type { ThinkingLevel } from '../../../protocol/turn.js';
import type { ModelRequest } from '../../model/provider.js';
import { type ChatMessage, openaiTools } from '../openai/messages.js';
import type { ModelFacts } from './model_facts.js';

const NO_SIGHT = '[an image is left out: this model reads no images]';
/** Its models know only words for how much to think, and always do. */
const GPT_OSS = /^gpt-?oss/;

interface WireCall {
  id: string;
  function: { name: string; arguments: unknown };
}
type WireMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; images?: string[] }
  | { role: 'assistant'; content: string; thinking?: string; tool_calls?: WireCall[] }
  | { role: 'tool'; content: string; tool_call_id: string; tool_name?: string };

export type ChatBody = ReturnType<typeof chatBody>;

/** A request as this server wants it, from its messages as chat completions have them. */
export function chatBody(
  request: ModelRequest,
  { messages, facts, context }: { messages: readonly ChatMessage[]; facts: ModelFacts; context: number | null },
) {
  // A context of another size would have the model loaded anew; its makers' machines have their own.
  const size = facts.isElsewhere || context === null ? {} : { num_ctx: context };
  return {
    model: request.model,
    messages: wireMessages(messages, facts),
    ...openaiTools(request),
    ...thinkOf(request.thinking, facts),
    stream: true as const,
    // Refused is better than cut: what is left of a conversation without its beginning is another one.
    truncate: false,
    shift: false,
    options: { ...size, num_predict: request.outputTokensMax },
  };
}

function wireMessages(messages: readonly ChatMessage[], facts: ModelFacts): WireMessage[] {
  const answers = messages.filter((message) => message.role === 'assistant');
  const calls = answers.flatMap(({ tool_calls: made }) => made ?? []);
  const tools = new Map(calls.map(({ id, function: { name } }) => [id, name]));
  return messages.map((message) => wireMessage(message, { facts, tools }));
}

interface Conversation {
  facts: ModelFacts;
  /** The tool of each call by its id. */
  tools: ReadonlyMap<string, string>;
}

function wireMessage(message: ChatMessage, { facts, tools }: Conversation): WireMessage {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return userMessage(message.content, facts);
    case 'assistant':
      return answerMessage(message);
    case 'tool': {
      const tool = tools.get(message.tool_call_id);
      return tool === undefined ? message : { ...message, tool_name: tool };
    }
  }
}

function answerMessage({
  content,
  thinking,
  reasoning,
  reasoning_content: older,
  tool_calls: calls,
}: AssistantMessage): WireMessage {
  const thought = [older, reasoning, thinking].join('');
  return {
    ...{ role: 'assistant', content: content ?? '' },
    ...(thought === '' ? {} : { thinking: thought }),
    ...(calls === undefined ? {} : { tool_calls: calls.map(wireCall) }),
  };
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;
type UserContent = Extract<ChatMessage, { role: 'user' }>['content'];

function userMessage(content: UserContent, { abilities }: ModelFacts): WireMessage {
  if (typeof content === 'string') return { role: 'user', content };
  const sees = abilities?.has('vision') ?? true;
  const images = content.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url.replace(/^.*,/, '')] : []));
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (images.length === 0) return { role: 'user', content: texts.join('\n\n') };
  if (sees) return { role: 'user', images, content: texts.join('\n\n') };
  return { role: 'user', content: [...images.map(() => NO_SIGHT), ...texts].join('\n\n') };
}

type SentCall = NonNullable<AssistantMessage['tool_calls']>[number];

function wireCall({ id, function: { name, arguments: input } }: SentCall): WireCall {
  return { id, function: { name, arguments: JSON.parse(input) } };
}

/** How much to think, in the words that a model knows; nothing for one that cannot. */
function thinkOf(level: ThinkingLevel, { abilities, architecture }: ModelFacts) {
  const mayThink = abilities?.has('thinking') ?? (level !== 'auto' && level !== 'off');
  if (!mayThink) return {};
  if (level === 'auto') return { think: true };
  if (!GPT_OSS.test(architecture)) return { think: level === 'off' ? false : level };
  if (level === 'off') return { think: 'low' };
  return { think: level === 'max' ? 'high' : level };
}
