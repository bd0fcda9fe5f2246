import * as z from 'zod';
import type { EndReason, ModelEvent, TokenUsage } from '../../model/provider.js';
import { answerIds } from '../blocks/call_ids_and_tool_names.js';
import { endReason } from '../blocks/end_reason.js';
import { tokenCount } from '../blocks/token_count.js';
import { wholeCharacters } from '../blocks/whole_characters.js';
import type { Wire } from '../transport/model_exchange.js';
import { assembleCalls, type CallAssembly, CallPiece } from './assemble_calls.js';

const words = z.string().nullish();
/** Text; some of Mistral's models send it as a list of parts, of which those without text are their thinking. */
const spoken = z
  .union([
    z.string(),
    z.array(z.object({ text: words })).transform((parts) => parts.map(({ text }) => text ?? '').join('')),
  ])
  .nullish();
const WireUsage = z.object({
  prompt_tokens: tokenCount,
  completion_tokens: tokenCount,
  prompt_tokens_details: z.object({ cached_tokens: tokenCount }).nullish().catch(null),
});
const Choice = z.object({
  delta: z
    .object({
      content: spoken,
      refusal: words,
      // Two names for the same thing: DeepSeek, llama.cpp and vLLM use the first, Ollama the second.
      reasoning_content: words.catch(null),
      reasoning: words.catch(null),
      tool_calls: z.array(CallPiece).nullish(),
    })
    .nullish(),
  finish_reason: words,
});
const Chunk = z.object({ choices: z.array(Choice).nullish(), usage: WireUsage.nullish().catch(null) });

// A map: the server chooses the word that is looked up.
const REASONS = new Map<string | null, EndReason>([
  ['stop', 'answered'],
  ['tool_calls', 'calls'],
  ['function_call', 'calls'],
  ['length', 'max_tokens'],
  ['content_filter', 'refused'],
]);

interface Reading {
  calls: CallAssembly;
  whole: { text: (piece: string) => string; thinking: (piece: string) => string };
  finished: string | null;
  hasUsage: boolean;
  hasText: boolean;
  isRefused: boolean;
}

/** Reads the chunks of one answer, given the length of the conversation. */
export function openaiReader(messages: number): Omit<Wire, 'open'> {
  const idFor = answerIds(messages);
  const reading: Reading = {
    calls: assembleCalls(idFor),
    whole: { text: wholeCharacters(), thinking: wholeCharacters() },
    finished: null,
    hasUsage: false,
    hasText: false,
    isRefused: false,
  };
  return {
    read(event) {
      const { choices, usage } = Chunk.parse(event);
      const meant = (choices ?? []).slice(0, 1).flatMap((choice) => meaning(reading, choice));
      if (!usage) return meant;
      reading.hasUsage = true;
      const counted = tokenUsage(usage);
      return counted === null ? meant : [...meant, { kind: 'usage', usage: counted }];
    },
    state() {
      if (reading.finished === null) return 'open';
      // Some servers leave the connection open after their last chunk, which has the usage.
      return reading.hasUsage ? 'closed' : 'answered';
    },
    finish() {
      const said = reading.isRefused ? 'refused' : (REASONS.get(reading.finished) ?? 'answered');
      const { hasText, calls } = reading;
      return [...calls.finish(), { kind: 'end', reason: endReason(said, { hasText, hasCalls: calls.count() > 0 }) }];
    },
  };
}

function meaning(reading: Reading, { delta, finish_reason }: z.infer<typeof Choice>): ModelEvent[] {
  reading.finished = finish_reason || reading.finished;
  if (!delta) return [];
  if (delta.refusal) reading.isRefused = true;
  return [
    ...said(reading, 'thinking', delta.reasoning_content || delta.reasoning),
    ...said(reading, 'text', delta.content),
    ...said(reading, 'text', delta.refusal),
    ...reading.calls.add(delta.tool_calls ?? []),
  ];
}

function said(reading: Reading, kind: 'text' | 'thinking', piece: string | null | undefined): ModelEvent[] {
  const text = piece ? reading.whole[kind](piece) : '';
  if (text === '') return [];
  if (kind === 'text' && text.trim() !== '') reading.hasText = true;
  return [{ kind, text }];
}

/** This API counts what was read from its cache among the input, and writes for nothing. Half of a count is none. */
function tokenUsage(usage: z.infer<typeof WireUsage>): TokenUsage | null {
  const { prompt_tokens: prompt, completion_tokens: output } = usage;
  if (typeof prompt !== 'number' || typeof output !== 'number') return null;
  const cacheRead = Math.min(prompt, usage.prompt_tokens_details?.cached_tokens ?? 0);
  return { input: prompt - cacheRead, output, cacheRead, cacheWrite5m: 0, cacheWrite1h: 0 };
}
