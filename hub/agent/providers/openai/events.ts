import * as z from 'zod';
import type { EndReason, ModelEvent, TokenUsage } from '../../model/provider.js';
import { answerIds } from '../blocks/call_ids_and_tool_names.js';
import { endReason } from '../blocks/end_reason.js';
import { tokenCount } from '../blocks/token_count.js';
import { wholeCharacters } from '../blocks/whole_characters.js';
import type { AnswerReader } from '../transport/model_exchange.js';
import { assembleCalls, type CallAssembly, CallPiece } from './assemble_calls.js';
import { fieldSignature, type ThinkingField } from './returned_thinking.js';

const optionalText = z.string().nullish();
/** Some of Mistral's models send text as a list of parts; those without text are their thinking. */
const textOrParts = z
  .union([
    z.string(),
    z.array(z.object({ text: optionalText })).transform((parts) => parts.map(({ text }) => text ?? '').join('')),
  ])
  .nullish();
const WireUsage = z.object({
  prompt_tokens: tokenCount,
  completion_tokens: tokenCount,
  prompt_tokens_details: z.object({ cached_tokens: tokenCount, cache_write_tokens: tokenCount }).nullish().catch(null),
});
const Choice = z.object({
  delta: z
    .object({
      content: textOrParts,
      refusal: optionalText,
      reasoning_content: optionalText.catch(null),
      reasoning: optionalText.catch(null),
      tool_calls: z.array(CallPiece).nullish(),
    })
    .nullish(),
  finish_reason: optionalText,
});
const Chunk = z.object({ choices: z.array(Choice).nullish(), usage: WireUsage.nullish().catch(null) });

// A map, not an object: the server chooses the key.
const REASONS = new Map<string | null, EndReason>([
  ['stop', 'answered'],
  ['tool_calls', 'calls'],
  ['function_call', 'calls'],
  ['length', 'max_tokens'],
  ['content_filter', 'refused'],
]);

/** The state of reading one answer. */
interface ReadingState {
  calls: CallAssembly;
  whole: { text: (piece: string) => string; thinking: (piece: string) => string };
  /** The field of the thinking that goes on; null for none. */
  thinking: ThinkingField | null;
  finished: string | null;
  hasUsage: boolean;
  /** Whether the usage came by itself, as it does behind the whole answer. */
  isCounted: boolean;
  hasText: boolean;
  isRefused: boolean;
}

/** Reads one answer, given the number of messages before it. */
export function openaiReader(messages: number): AnswerReader {
  const idFor = answerIds(messages);
  const reading: ReadingState = {
    calls: assembleCalls(idFor),
    whole: { text: wholeCharacters(), thinking: wholeCharacters() },
    thinking: null,
    finished: null,
    hasUsage: false,
    isCounted: false,
    hasText: false,
    isRefused: false,
  };
  return {
    read(event) {
      const { choices, usage } = Chunk.parse(event);
      const events = (choices ?? []).slice(0, 1).flatMap((choice) => eventsOf(reading, choice));
      if (!usage) return events;
      reading.hasUsage = true;
      reading.isCounted ||= (choices ?? []).length === 0;
      const counted = tokenUsage(usage);
      return counted === null ? events : [...events, { kind: 'usage', usage: counted }];
    },
    state() {
      if (reading.finished === null) return 'open';
      // Some servers leave the connection open after their last chunk, which has the usage.
      return reading.hasUsage ? 'closed' : 'answered';
    },
    conclude(isDone) {
      // Some servers never say why an answer ended. One that says nothing at all did not answer.
      const hasSaid = reading.hasText || reading.calls.count() > 0;
      if ((isDone || reading.isCounted) && hasSaid) reading.finished ??= 'stop';
    },
    finish() {
      const reason = reading.isRefused ? 'refused' : (REASONS.get(reading.finished) ?? 'answered');
      const { hasText, calls } = reading;
      return [
        ...endThinking(reading),
        ...calls.finish(),
        { kind: 'end', reason: endReason(reason, { hasText, hasCalls: calls.count() > 0 }) },
      ];
    },
  };
}

function eventsOf(reading: ReadingState, { delta, finish_reason }: z.infer<typeof Choice>): ModelEvent[] {
  reading.finished = finish_reason || reading.finished;
  if (!delta) return [];
  if (delta.refusal) reading.isRefused = true;
  const field = delta.reasoning_content ? 'reasoning_content' : 'reasoning';
  const thinking = textEvents(reading, 'thinking', delta[field]);
  if (thinking.length > 0) reading.thinking = field;
  const said = [
    ...textEvents(reading, 'text', delta.content),
    ...textEvents(reading, 'text', delta.refusal),
    ...reading.calls.add(delta.tool_calls ?? []),
  ];
  return [...thinking, ...(said.length > 0 ? endThinking(reading) : []), ...said];
}

/** A piece of thinking is complete when something else begins. */
function endThinking(reading: ReadingState): ModelEvent[] {
  const { thinking } = reading;
  reading.thinking = null;
  return thinking === null ? [] : [{ kind: 'thinking_signed', signature: fieldSignature(thinking) }];
}

function textEvents(reading: ReadingState, kind: 'text' | 'thinking', piece: string | null | undefined): ModelEvent[] {
  const text = piece ? reading.whole[kind](piece) : '';
  if (text === '') return [];
  if (kind === 'text' && text.trim() !== '') reading.hasText = true;
  return [{ kind, text }];
}

/** This dialect counts what was read from a cache and written to it among the input. Part of a count is none. */
function tokenUsage(usage: z.infer<typeof WireUsage>): TokenUsage | null {
  const { prompt_tokens: prompt, completion_tokens: output, prompt_tokens_details: parts } = usage;
  if (typeof prompt !== 'number' || typeof output !== 'number') return null;
  const cacheRead = Math.min(prompt, parts?.cached_tokens ?? 0);
  const cacheWrite5m = Math.min(prompt - cacheRead, parts?.cache_write_tokens ?? 0);
  return { input: prompt - cacheRead - cacheWrite5m, output, cacheRead, cacheWrite5m, cacheWrite1h: 0 };
}
