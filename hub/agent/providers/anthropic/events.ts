import * as z from 'zod';
import type { EndReason, ModelEvent, TokenUsage } from '../../model/provider.js';
import { answerIds, storedToolName } from '../blocks/call_ids_and_tool_names.js';
import { finishedCall, type WrittenCall } from '../blocks/call_input.js';
import { endReason } from '../blocks/end_reason.js';
import { tokenCount } from '../blocks/token_count.js';
import { wholeCharacters } from '../blocks/whole_characters.js';
import type { AnswerReader } from '../transport/model_exchange.js';
import { REDACTED } from './messages.js';

const WireUsage = z.object({
  input_tokens: tokenCount,
  output_tokens: tokenCount,
  cache_read_input_tokens: tokenCount,
  cache_creation_input_tokens: tokenCount,
  cache_creation: z
    .object({ ephemeral_5m_input_tokens: tokenCount, ephemeral_1h_input_tokens: tokenCount })
    .nullish()
    .catch(null),
});
type WireUsage = z.infer<typeof WireUsage>;
const index = z.number();
/** Servers that only imitate this dialect send null instead of an empty text. */
const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
const usage = WireUsage.nullish().catch(null);
const BlockStart = z.object({
  type: z.string(),
  text: optionalText,
  thinking: optionalText,
  signature: optionalText,
  data: optionalText,
  id: optionalText,
  name: optionalText,
  input: z.unknown().optional(),
});
const Delta = z.object({
  type: z.string(),
  text: optionalText,
  thinking: optionalText,
  signature: optionalText,
  partial_json: optionalText,
});
const WireEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: z.object({ usage }) }),
  z.object({ type: z.literal('content_block_start'), index, content_block: BlockStart }),
  z.object({ type: z.literal('content_block_delta'), index, delta: Delta }),
  z.object({ type: z.literal('content_block_stop'), index }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage,
  }),
  z.object({ type: z.literal('message_stop') }),
]);
type WireEvent = z.infer<typeof WireEvent>;
const AnyEvent = z.object({ type: z.string() });
const KNOWN_TYPES = new Set<string>(WireEvent.options.map((option) => option.shape.type.value));

type OpenBlock =
  | { kind: 'text' }
  | { kind: 'other' }
  | { kind: 'thinking'; signature: string }
  | { kind: 'call'; written: WrittenCall; isStarted: boolean };

/** The state of reading one answer. */
interface ReadingState {
  open: Map<number, OpenBlock>;
  idFor: (serverId: string) => string;
  whole: { text: (piece: string) => string; thinking: (piece: string) => string };
  lifetime: '5m' | '1h';
  usage: WireUsage;
  stopped: string | null;
  isClosed: boolean;
  hasText: boolean;
  hasCalls: boolean;
}

// A map, not an object: the server chooses the key.
const REASONS = new Map<string | null, EndReason>([
  ['end_turn', 'answered'],
  ['stop_sequence', 'answered'],
  ['tool_use', 'calls'],
  ['max_tokens', 'max_tokens'],
  ['refusal', 'refused'],
  ['model_context_window_exceeded', 'context_too_long'],
  ['pause_turn', 'paused'],
]);

/** Reads one answer, given the number of messages before it and how long its cache writes last. */
export function anthropicReader(messages: number, lifetime: '5m' | '1h'): AnswerReader {
  const reading: ReadingState = {
    open: new Map(),
    idFor: answerIds(messages),
    whole: { text: wholeCharacters(), thinking: wholeCharacters() },
    lifetime,
    usage: {},
    stopped: null,
    isClosed: false,
    hasText: false,
    hasCalls: false,
  };
  return {
    read: (event) => (KNOWN_TYPES.has(AnyEvent.parse(event).type) ? eventsOf(reading, WireEvent.parse(event)) : []),
    state() {
      if (reading.stopped === null) return 'open';
      return reading.isClosed ? 'closed' : 'answered';
    },
    finish() {
      const last = [...reading.open.keys()].flatMap((at) => closeBlock(reading, at));
      const reason = endReason(REASONS.get(reading.stopped) ?? 'answered', reading);
      return [...last, { kind: 'end', reason }];
    },
  };
}

function eventsOf(reading: ReadingState, event: WireEvent): ModelEvent[] {
  switch (event.type) {
    case 'message_start':
      return countUsage(reading, event.message.usage);
    case 'content_block_start':
      return startBlock(reading, event.index, event.content_block);
    case 'content_block_delta':
      return growBlock(reading, event.index, event.delta);
    case 'content_block_stop':
      return closeBlock(reading, event.index);
    case 'message_delta':
      reading.stopped = event.delta.stop_reason ?? reading.stopped;
      return countUsage(reading, event.usage);
    case 'message_stop':
      reading.isClosed = true;
      return [];
  }
}

function textEvents(reading: ReadingState, kind: 'text' | 'thinking', piece: string): ModelEvent[] {
  const text = reading.whole[kind](piece);
  if (text === '') return [];
  if (kind === 'text' && text.trim() !== '') reading.hasText = true;
  return [{ kind, text }];
}

/** Counts at the end replace those at the start; what the end leaves out stays. */
function countUsage(reading: ReadingState, more: WireUsage | null | undefined): ModelEvent[] {
  const counts = Object.entries(more ?? {}).filter(([, value]) => value !== null && value !== undefined);
  if (counts.length === 0) return [];
  reading.usage = { ...reading.usage, ...Object.fromEntries(counts) };
  // Part of a count would make part of a price.
  if (typeof reading.usage.input_tokens !== 'number' || typeof reading.usage.output_tokens !== 'number') return [];
  return [{ kind: 'usage', usage: tokenUsage(reading.usage, reading.lifetime) }];
}

function startBlock(reading: ReadingState, at: number, block: z.infer<typeof BlockStart>): ModelEvent[] {
  // Some servers give every block the same index, and do not say that one has ended.
  return [...closeBlock(reading, at), ...openBlock(reading, at, block)];
}

function openBlock(reading: ReadingState, at: number, block: z.infer<typeof BlockStart>): ModelEvent[] {
  const opened = openBlockOf(block, reading.idFor);
  reading.open.set(at, opened);
  switch (opened.kind) {
    case 'text':
    case 'thinking':
      return textEvents(reading, opened.kind, block[opened.kind]);
    case 'call':
      reading.hasCalls = true;
      return [{ kind: 'call_begun', id: opened.written.id, tool: opened.written.tool }];
    case 'other':
      return [];
  }
}

function openBlockOf(block: z.infer<typeof BlockStart>, idFor: ReadingState['idFor']): OpenBlock {
  switch (block.type) {
    case 'text':
      return { kind: 'text' };
    case 'thinking':
      return { kind: 'thinking', signature: block.signature };
    case 'redacted_thinking':
      return { kind: 'thinking', signature: `${REDACTED}${block.data}` };
    case 'tool_use': {
      const written = {
        id: idFor(block.id),
        tool: storedToolName(block.name),
        text: JSON.stringify(block.input ?? {}),
      };
      return { kind: 'call', written, isStarted: false };
    }
    default:
      return { kind: 'other' };
  }
}

function growBlock(reading: ReadingState, at: number, delta: z.infer<typeof Delta>): ModelEvent[] {
  const block = reading.open.get(at);
  if (delta.type === 'text_delta') return textEvents(reading, 'text', delta.text);
  if (delta.type === 'thinking_delta') return textEvents(reading, 'thinking', delta.thinking);
  if (delta.type === 'signature_delta' && block?.kind === 'thinking') block.signature += delta.signature;
  if (delta.type !== 'input_json_delta' || block?.kind !== 'call' || delta.partial_json === '') return [];
  // The input at the start counts only when no pieces follow.
  block.written.text = block.isStarted ? block.written.text + delta.partial_json : delta.partial_json;
  block.isStarted = true;
  return [{ kind: 'call_input', id: block.written.id, text: delta.partial_json }];
}

function closeBlock(reading: ReadingState, at: number): ModelEvent[] {
  const block = reading.open.get(at);
  reading.open.delete(at);
  if (block?.kind === 'call') return [finishedCall(block.written)];
  if (block?.kind !== 'thinking') return [];
  return [{ kind: 'thinking_signed', signature: block.signature === '' ? null : block.signature }];
}

function tokenUsage(usage: WireUsage, lifetime: '5m' | '1h'): TokenUsage {
  const written = usage.cache_creation_input_tokens ?? 0;
  const parts = usage.cache_creation;
  // Older servers do not say how long writes last: as long as the request asked for.
  const hour = parts?.ephemeral_1h_input_tokens ?? (parts || lifetime === '5m' ? 0 : written);
  return {
    input: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite5m: Math.max(0, written - hour),
    cacheWrite1h: hour,
  };
}
