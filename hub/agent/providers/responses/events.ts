import * as z from 'zod';
import type { EndReason, ModelEvent, TokenUsage } from '../../model/provider.js';
import { answerIds, storedToolName } from '../blocks/call_ids_and_tool_names.js';
import { finishedCall, type WrittenCall } from '../blocks/call_input.js';
import { endReason } from '../blocks/end_reason.js';
import { wholeCharacters } from '../blocks/whole_characters.js';
import type { AnswerReader } from '../transport/model_exchange.js';
import { reasoningSignature } from './reasoning_item.js';
import { type AnswerItem, KNOWN_EVENTS, WireEvent, type WireUsage } from './wire_events.js';

type OpenItem =
  | { kind: 'message'; hasText: boolean }
  | { kind: 'thinking'; hasText: boolean }
  | { kind: 'call'; written: WrittenCall }
  | { kind: 'other' };

/** The state of reading one answer. */
interface ReadingState {
  /** By the server's index of the item. */
  open: Map<number, OpenItem>;
  /** How many items have ended. */
  done: number;
  idFor: (serverId: string) => string;
  whole: { text: (piece: string) => string; thinking: (piece: string) => string };
  /** What the newest event added to: a second message goes on behind a blank line. */
  newest: 'text' | 'other';
  ended: EndReason | null;
  hasText: boolean;
  hasCalls: boolean;
  isRefused: boolean;
}

/** Reads one answer, given the number of messages before it. */
export function responsesReader(messages: number): AnswerReader {
  const reading: ReadingState = {
    open: new Map(),
    done: 0,
    idFor: answerIds(messages),
    whole: { text: wholeCharacters(), thinking: wholeCharacters() },
    newest: 'other',
    ...{ ended: null, hasText: false, hasCalls: false, isRefused: false },
  };
  const AnyEvent = z.object({ type: z.string() });
  return {
    read: (event) => (KNOWN_EVENTS.has(AnyEvent.parse(event).type) ? eventsOf(reading, WireEvent.parse(event)) : []),
    state: () => (reading.ended === null ? 'open' : 'closed'),
    finish() {
      const calls = [...reading.open.values()].flatMap((item) =>
        item.kind === 'call' ? [finishedCall(item.written)] : [],
      );
      const ended = reading.isRefused ? 'refused' : (reading.ended ?? 'answered');
      return [...calls, { kind: 'end', reason: endReason(ended, reading) }];
    },
  };
}

function eventsOf(reading: ReadingState, event: WireEvent): ModelEvent[] {
  switch (event.type) {
    case 'response.output_item.added':
      return beginItem(reading, event.output_index, event.item);
    case 'response.output_item.done':
      return endItem(reading, event.output_index, event.item);
    case 'response.output_text.delta':
      return addText(reading, event.output_index, event.delta);
    case 'response.refusal.delta':
      reading.isRefused = true;
      return addText(reading, event.output_index, event.delta);
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return addThinking(reading, event.output_index, event.delta);
    case 'response.reasoning_summary_part.added':
      return addThinking(reading, event.output_index, '');
    case 'response.function_call_arguments.delta':
      return addInput(reading, event.output_index, event.delta);
    case 'response.completed':
    case 'response.incomplete':
      return endAnswer(reading, event);
    case 'response.failed':
      throw serverError(event.response.error ?? { code: 'server_error', message: 'the answer failed' });
    case 'error':
      throw serverError(event);
  }
}

function beginItem(reading: ReadingState, at: number, { type, call_id, name }: AnswerItem): ModelEvent[] {
  // Servers that give every item the same index do not say apart which one they mean.
  const before = reading.open.get(at);
  const events = before?.kind === 'call' ? [finishedCall(before.written)] : [];
  switch (type) {
    case 'message':
      reading.open.set(at, { kind: 'message', hasText: false });
      return events;
    case 'reasoning':
      reading.open.set(at, { kind: 'thinking', hasText: false });
      return events;
    case 'function_call': {
      const written = { id: reading.idFor(call_id), tool: storedToolName(name), text: '' };
      reading.open.set(at, { kind: 'call', written });
      reading.hasCalls = true;
      reading.newest = 'other';
      return [...events, { kind: 'call_begun', id: written.id, tool: written.tool }];
    }
    default:
      reading.open.set(at, { kind: 'other' });
      return events;
  }
}

/** The whole item, which counts where its pieces did not come. */
function endItem(reading: ReadingState, at: number, item: AnswerItem): ModelEvent[] {
  const begun = reading.open.has(at) ? [] : beginItem(reading, at, item);
  const open = reading.open.get(at);
  reading.open.delete(at);
  reading.done += 1;
  switch (open?.kind) {
    case 'message': {
      const refusals = item.content.map(({ refusal }) => refusal).join('');
      if (refusals !== '') reading.isRefused = true;
      const whole = item.content.map(({ text }) => text).join('') + refusals;
      return open.hasText ? [] : textEvents(reading, open, whole);
    }
    case 'thinking': {
      const summary = [...item.summary, ...item.content].map(({ text }) => text).join('\n\n');
      const text = open.hasText ? [] : thinkingEvents(reading, open, summary);
      reading.newest = 'other';
      return [...text, { kind: 'thinking_signed', signature: reasoningSignature(item.raw) }];
    }
    case 'call':
      return [...begun, finishedCall({ ...open.written, text: item.arguments || open.written.text })];
    default:
      return [];
  }
}

function addText(reading: ReadingState, at: number, delta: string): ModelEvent[] {
  const open = openAt(reading, at, 'message');
  return open.kind === 'message' ? textEvents(reading, open, delta) : [];
}

function addThinking(reading: ReadingState, at: number, delta: string): ModelEvent[] {
  const open = openAt(reading, at, 'thinking');
  if (open.kind !== 'thinking') return [];
  // Each part of a summary is a paragraph.
  if (delta === '') return open.hasText ? thinkingEvents(reading, open, '\n\n') : [];
  return thinkingEvents(reading, open, delta);
}

function addInput(reading: ReadingState, at: number, text: string): ModelEvent[] {
  const open = reading.open.get(at);
  if (open?.kind !== 'call' || text === '') return [];
  open.written.text += text;
  return [{ kind: 'call_input', id: open.written.id, text }];
}

/** The item at an index, also of a server that does not say when one begins. */
function openAt(reading: ReadingState, at: number, kind: 'message' | 'thinking'): OpenItem {
  const open = reading.open.get(at) ?? { kind, hasText: false };
  reading.open.set(at, open);
  return open;
}

function textEvents(reading: ReadingState, open: { hasText: boolean }, piece: string): ModelEvent[] {
  const text = reading.whole.text(piece);
  if (text === '') return [];
  const isSecond = !open.hasText && reading.newest === 'text';
  open.hasText = true;
  reading.newest = 'text';
  if (text.trim() !== '') reading.hasText = true;
  return [{ kind: 'text', text: isSecond ? `\n\n${text}` : text }];
}

function thinkingEvents(reading: ReadingState, open: { hasText: boolean }, piece: string): ModelEvent[] {
  const text = reading.whole.thinking(piece);
  if (text === '') return [];
  open.hasText = true;
  reading.newest = 'other';
  return [{ kind: 'thinking', text }];
}

type FinalEvent = Extract<WireEvent, { type: 'response.completed' | 'response.incomplete' }>;

function endAnswer(reading: ReadingState, { type, response }: FinalEvent): ModelEvent[] {
  // Some servers send the items here only.
  const late = (response.output ?? []).slice(reading.done).flatMap((item) => endItem(reading, reading.done, item));
  reading.ended = type === 'response.completed' ? 'answered' : cutReason(response.incomplete_details?.reason);
  const usage = response.usage ? tokenUsage(response.usage) : null;
  return usage === null ? late : [...late, { kind: 'usage', usage }];
}

function cutReason(reason: string | undefined): EndReason {
  return reason === 'content_filter' ? 'refused' : 'max_tokens';
}

/** An error as the SDK makes one of it where it comes by itself. */
function serverError({ code, message }: { code: string; message: string }): Error {
  return Object.assign(new Error(message), { error: { error: { type: null, code, message } } });
}

/** What was read from a cache and written to it is counted among the input. Part of a count is none. */
function tokenUsage({
  input_tokens: all,
  output_tokens: output,
  input_tokens_details: parts,
}: WireUsage): TokenUsage | null {
  if (typeof all !== 'number' || typeof output !== 'number') return null;
  const cacheRead = Math.min(all, parts?.cached_tokens ?? 0);
  const cacheWrite5m = Math.min(all - cacheRead, parts?.cache_write_tokens ?? 0);
  return { input: all - cacheRead - cacheWrite5m, output, cacheRead, cacheWrite5m, cacheWrite1h: 0 };
}
