import * as z from 'zod';
import type { EndReason, ModelEvent, TokenUsage } from '../../model/provider.js';
import { answerIds, keptTool } from '../blocks/call_ids_and_tool_names.js';
import { finishedCall, type WrittenCall } from '../blocks/call_input.js';
import { endReason } from '../blocks/end_reason.js';
import { tokenCount } from '../blocks/token_count.js';
import { wholeCharacters } from '../blocks/whole_characters.js';
import type { Wire } from '../transport/model_exchange.js';
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
/** Servers that only speak like this one send null where there is nothing. */
const words = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
const usage = WireUsage.nullish().catch(null);
const Opened = z.object({
  type: z.string(),
  text: words,
  thinking: words,
  signature: words,
  data: words,
  id: words,
  name: words,
  input: z.unknown().optional(),
});
const Delta = z.object({ type: z.string(), text: words, thinking: words, signature: words, partial_json: words });
const WireEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: z.object({ usage }) }),
  z.object({ type: z.literal('content_block_start'), index, content_block: Opened }),
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
const Kind = z.object({ type: z.string() });
const KNOWN = new Set<string>(WireEvent.options.map((option) => option.shape.type.value));

type Open =
  | { kind: 'text' }
  | { kind: 'other' }
  | { kind: 'thinking'; signature: string }
  | { kind: 'call'; written: WrittenCall; isStarted: boolean };

/** What is known of an answer while it is read. */
interface Reading {
  open: Map<number, Open>;
  idFor: (given: string) => string;
  whole: { text: (piece: string) => string; thinking: (piece: string) => string };
  lifetime: '5m' | '1h';
  usage: WireUsage;
  stopped: string | null;
  isClosed: boolean;
  hasText: boolean;
  hasCalls: boolean;
}

// A map: the server chooses the word that is looked up.
const REASONS = new Map<string | null, EndReason>([
  ['end_turn', 'answered'],
  ['stop_sequence', 'answered'],
  ['tool_use', 'calls'],
  ['max_tokens', 'max_tokens'],
  ['refusal', 'refused'],
  ['model_context_window_exceeded', 'context_too_long'],
]);

/** Reads the events of one answer, given the length of the conversation and what writes to the cache are kept for. */
export function anthropicReader(messages: number, lifetime: '5m' | '1h'): Omit<Wire, 'open'> {
  const reading: Reading = {
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
    read: (event) => (KNOWN.has(Kind.parse(event).type) ? meaning(reading, WireEvent.parse(event)) : []),
    state() {
      if (reading.stopped === null) return 'open';
      return reading.isClosed ? 'closed' : 'answered';
    },
    finish() {
      const left = [...reading.open.keys()].flatMap((at) => close(reading, at));
      const reason = endReason(REASONS.get(reading.stopped) ?? 'answered', reading);
      return [...left, { kind: 'end', reason }];
    },
  };
}

function meaning(reading: Reading, event: WireEvent): ModelEvent[] {
  switch (event.type) {
    case 'message_start':
      return reckon(reading, event.message.usage);
    case 'content_block_start':
      return begin(reading, event.index, event.content_block);
    case 'content_block_delta':
      return grow(reading, event.index, event.delta);
    case 'content_block_stop':
      return close(reading, event.index);
    case 'message_delta':
      reading.stopped = event.delta.stop_reason ?? reading.stopped;
      return reckon(reading, event.usage);
    case 'message_stop':
      reading.isClosed = true;
      return [];
  }
}

function said(reading: Reading, kind: 'text' | 'thinking', piece: string): ModelEvent[] {
  const text = reading.whole[kind](piece);
  if (text === '') return [];
  if (kind === 'text' && text.trim() !== '') reading.hasText = true;
  return [{ kind, text }];
}

/** Counts of the end replace those of the start; what the end leaves out stays. */
function reckon(reading: Reading, more: WireUsage | null | undefined): ModelEvent[] {
  const known = Object.entries(more ?? {}).filter(([, value]) => value !== null && value !== undefined);
  if (known.length === 0) return [];
  reading.usage = { ...reading.usage, ...Object.fromEntries(known) };
  // Half of a count would make half of a price.
  if (typeof reading.usage.input_tokens !== 'number' || typeof reading.usage.output_tokens !== 'number') return [];
  return [{ kind: 'usage', usage: tokenUsage(reading.usage, reading.lifetime) }];
}

function begin(reading: Reading, at: number, block: z.infer<typeof Opened>): ModelEvent[] {
  // Some servers give every block the same place, and do not say that one has ended.
  return [...close(reading, at), ...started(reading, at, block)];
}

function started(reading: Reading, at: number, block: z.infer<typeof Opened>): ModelEvent[] {
  const begun = opened(block, reading.idFor);
  reading.open.set(at, begun);
  switch (begun.kind) {
    case 'text':
    case 'thinking':
      return said(reading, begun.kind, block[begun.kind]);
    case 'call':
      reading.hasCalls = true;
      return [{ kind: 'call_begun', id: begun.written.id, tool: begun.written.tool }];
    case 'other':
      return [];
  }
}

function opened(block: z.infer<typeof Opened>, idFor: Reading['idFor']): Open {
  switch (block.type) {
    case 'text':
      return { kind: 'text' };
    case 'thinking':
      return { kind: 'thinking', signature: block.signature };
    case 'redacted_thinking':
      return { kind: 'thinking', signature: `${REDACTED}${block.data}` };
    case 'tool_use': {
      const written = { id: idFor(block.id), tool: keptTool(block.name), text: JSON.stringify(block.input ?? {}) };
      return { kind: 'call', written, isStarted: false };
    }
    default:
      return { kind: 'other' };
  }
}

function grow(reading: Reading, at: number, delta: z.infer<typeof Delta>): ModelEvent[] {
  const block = reading.open.get(at);
  if (delta.type === 'text_delta') return said(reading, 'text', delta.text);
  if (delta.type === 'thinking_delta') return said(reading, 'thinking', delta.thinking);
  if (delta.type === 'signature_delta' && block?.kind === 'thinking') block.signature += delta.signature;
  if (delta.type !== 'input_json_delta' || block?.kind !== 'call' || delta.partial_json === '') return [];
  // The input at the start is what it is without any pieces.
  block.written.text = block.isStarted ? block.written.text + delta.partial_json : delta.partial_json;
  block.isStarted = true;
  return [{ kind: 'call_input', id: block.written.id, text: delta.partial_json }];
}

function close(reading: Reading, at: number): ModelEvent[] {
  const block = reading.open.get(at);
  reading.open.delete(at);
  if (block?.kind === 'call') return [finishedCall(block.written)];
  if (block?.kind !== 'thinking') return [];
  return [{ kind: 'thinking_signed', signature: block.signature === '' ? null : block.signature }];
}

function tokenUsage(usage: WireUsage, lifetime: '5m' | '1h'): TokenUsage {
  const written = usage.cache_creation_input_tokens ?? 0;
  const parts = usage.cache_creation;
  // Older servers do not say for how long: as long as they were asked to.
  const hour = parts?.ephemeral_1h_input_tokens ?? (parts || lifetime === '5m' ? 0 : written);
  return {
    input: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite5m: Math.max(0, written - hour),
    cacheWrite1h: hour,
  };
}
