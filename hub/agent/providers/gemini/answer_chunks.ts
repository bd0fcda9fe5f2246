import * as z from 'zod';
import type { EndReason, ModelEvent, TokenUsage } from '../../model/provider.js';
import { answerIds, storedToolName } from '../blocks/call_ids_and_tool_names.js';
import { finishedCall } from '../blocks/call_input.js';
import { endReason } from '../blocks/end_reason.js';
import { tokenCount } from '../blocks/token_count.js';
import { wholeCharacters } from '../blocks/whole_characters.js';
import type { AnswerReader } from '../transport/model_exchange.js';
import { storedSignature } from './signed_part.js';

const text = z
  .string()
  .nullish()
  .catch(null)
  .transform((value) => value ?? '');
const Part = z.object({
  text,
  thought: z.boolean().nullish().catch(null),
  thoughtSignature: text,
  functionCall: z.object({ id: text, name: text, args: z.unknown().optional() }).nullish(),
});
type Part = z.infer<typeof Part>;
const Candidate = z.object({
  content: z.object({ parts: z.array(Part).nullish() }).nullish(),
  finishReason: text,
});
const WireUsage = z.object({
  promptTokenCount: tokenCount,
  toolUsePromptTokenCount: tokenCount,
  cachedContentTokenCount: tokenCount,
  candidatesTokenCount: tokenCount,
  thoughtsTokenCount: tokenCount,
});
const Chunk = z.object({
  candidates: z.array(Candidate).nullish(),
  promptFeedback: z.object({ blockReason: text }).nullish().catch(null),
  usageMetadata: WireUsage.nullish().catch(null),
});

// A map, not an object: the server chooses the key.
const REASONS = new Map<string, EndReason>([
  ['STOP', 'answered'],
  ['MAX_TOKENS', 'max_tokens'],
  // More than one request may bring: it could be asked to go on.
  ['CONTINUATION', 'max_tokens'],
  ...['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'].map(
    (reason): [string, EndReason] => [reason, 'refused'],
  ),
]);
/** The server could not read a call that the model wrote. */
const UNREADABLE_CALL = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL']);

/** The state of reading one answer. */
interface ReadingState {
  idFor: (serverId: string) => string;
  whole: { text: (piece: string) => string; thinking: (piece: string) => string };
  /** The server's word for the end; empty while it goes on. */
  finished: string;
  isBlocked: boolean;
  isCounted: boolean;
  hasText: boolean;
  hasCalls: boolean;
}

/** Reads one answer, given the number of messages before it. */
export function geminiReader(messages: number): AnswerReader {
  const reading: ReadingState = {
    idFor: answerIds(messages),
    whole: { text: wholeCharacters(), thinking: wholeCharacters() },
    finished: '',
    ...{ isBlocked: false, isCounted: false, hasText: false, hasCalls: false },
  };
  return {
    read: (chunk) => eventsOf(reading, Chunk.parse(chunk)),
    state() {
      if (reading.finished === '' && !reading.isBlocked) return 'open';
      return reading.isCounted ? 'closed' : 'answered';
    },
    finish() {
      const unreadable = UNREADABLE_CALL.has(reading.finished) ? [unreadableCall(reading)] : [];
      const ended = reading.isBlocked ? 'refused' : (REASONS.get(reading.finished) ?? 'answered');
      return [...unreadable, { kind: 'end', reason: endReason(ended, reading) }];
    },
  };
}

function eventsOf(reading: ReadingState, { candidates, promptFeedback, usageMetadata }: z.infer<typeof Chunk>) {
  const [candidate] = candidates ?? [];
  const events = (candidate?.content?.parts ?? []).flatMap((part) => partEvents(reading, part));
  reading.finished = candidate?.finishReason || reading.finished;
  if (promptFeedback && promptFeedback.blockReason !== '') reading.isBlocked = true;
  const usage = usageMetadata ? tokenUsage(usageMetadata) : null;
  if (usage === null) return events;
  reading.isCounted = true;
  return [...events, { kind: 'usage' as const, usage }];
}

function partEvents(reading: ReadingState, part: Part): ModelEvent[] {
  if (part.functionCall) return [...signed(part, 'call', 0), ...callEvents(reading, part.functionCall)];
  if (part.thought === true) {
    const thinking = reading.whole.thinking(part.text);
    const shown: ModelEvent[] = thinking === '' ? [] : [{ kind: 'thinking', text: thinking }];
    return [...shown, ...signed(part, 'thought', thinking.length)];
  }
  const words = reading.whole.text(part.text);
  const said: ModelEvent[] = words === '' ? [] : [{ kind: 'text', text: words }];
  if (words.trim() !== '') reading.hasText = true;
  return [...signed(part, 'text', words.length), ...said];
}

/** A signature is told of before its part, as the end of what was thought until then. */
function signed({ thoughtSignature }: Part, kind: 'call' | 'text' | 'thought', length: number): ModelEvent[] {
  if (thoughtSignature === '') return [];
  return [{ kind: 'thinking_signed', signature: storedSignature({ kind, length, signature: thoughtSignature }) }];
}

/** Calls come whole, and older models give them no ids. */
function callEvents(reading: ReadingState, { id, name, args }: NonNullable<Part['functionCall']>): ModelEvent[] {
  reading.hasCalls = true;
  const call = { id: reading.idFor(id), tool: storedToolName(name) };
  return [{ kind: 'call_begun', ...call }, finishedCall({ ...call, text: JSON.stringify(args ?? {}) })];
}

/** The call that could not be read, of which the SDK tells nothing more: the model hears of it, and goes on. */
function unreadableCall(reading: ReadingState): ModelEvent {
  reading.hasCalls = true;
  const problem = 'the server could not read this call; nothing was done, write it again';
  return { kind: 'call_malformed', id: reading.idFor(''), tool: storedToolName(''), text: '', problem };
}

/** What was read from a cache is counted among the input, and what was thought beside the answer. Part of a count is none. */
function tokenUsage(usage: z.infer<typeof WireUsage>): TokenUsage | null {
  const { promptTokenCount: prompt, candidatesTokenCount: answer, thoughtsTokenCount: thoughts } = usage;
  if (typeof prompt !== 'number') return null;
  const all = prompt + (usage.toolUsePromptTokenCount ?? 0);
  const cacheRead = Math.min(all, usage.cachedContentTokenCount ?? 0);
  const output = (answer ?? 0) + (thoughts ?? 0);
  return { input: all - cacheRead, output, cacheRead, cacheWrite5m: 0, cacheWrite1h: 0 };
}
