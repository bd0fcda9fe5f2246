import * as z from 'zod';
import { BLOCKS_MAX } from '../../../protocol/limits.js';
import type { EndReason, ModelEvent } from '../../model/provider.js';
import { answerIds, storedToolName } from '../blocks/call_ids_and_tool_names.js';
import { finishedCall } from '../blocks/call_input.js';
import { endReason } from '../blocks/end_reason.js';
import { tokenCount } from '../blocks/token_count.js';
import { wholeCharacters } from '../blocks/whole_characters.js';
import { fieldSignature } from '../openai/returned_thinking.js';
import type { AnswerReader } from '../transport/model_exchange.js';
import { serverError } from './server_refusal.js';

const text = z.string().nullish();
const Call = z.object({
  id: text,
  function: z.object({ name: text, arguments: z.unknown().optional() }),
});
const Line = z.object({
  message: z.object({ content: text, thinking: text, tool_calls: z.array(Call).nullish() }).nullish(),
  done: z.boolean().nullish(),
  done_reason: text,
  prompt_eval_count: tokenCount,
  eval_count: tokenCount,
  error: text,
});
type Line = z.infer<typeof Line>;

interface ReadingState {
  idFor: (serverId: string | null | undefined) => string;
  whole: { text: (piece: string) => string; thinking: (piece: string) => string };
  isThinking: boolean;
  hasText: boolean;
  calls: number;
  ended: EndReason | null;
}

/** Reads one answer, given the number of messages before it and the most tokens that it was asked for. */
export function ollamaReader(messages: number, outputTokensMax: number): AnswerReader {
  const reading: ReadingState = {
    idFor: answerIds(messages),
    whole: { text: wholeCharacters(), thinking: wholeCharacters() },
    ...{ isThinking: false, hasText: false, calls: 0, ended: null },
  };
  return {
    read(event) {
      const line = Line.parse(event);
      if (line.error) throw serverError(line.error);
      const said = [
        ...saidIn(reading, line),
        ...(line.message?.tool_calls ?? []).flatMap((call) => made(reading, call)),
      ];
      if (line.done !== true) return said;
      reading.ended = reasonOf(line, outputTokensMax);
      return [...said, ...usageIn(line)];
    },
    // The counts come with the last line.
    state: () => (reading.ended === null ? 'open' : 'closed'),
    finish: () => [
      ...endThinking(reading),
      {
        kind: 'end',
        reason: endReason(reading.ended ?? 'answered', { hasText: reading.hasText, hasCalls: reading.calls > 0 }),
      },
    ],
  };
}

function saidIn(reading: ReadingState, { message }: Line): ModelEvent[] {
  const thinking = reading.whole.thinking(message?.thinking ?? '');
  const said = reading.whole.text(message?.content ?? '');
  const events: ModelEvent[] = [];
  if (thinking !== '') {
    reading.isThinking = true;
    events.push({ kind: 'thinking', text: thinking });
  }
  if (said === '') return events;
  if (said.trim() !== '') reading.hasText = true;
  return [...events, ...endThinking(reading), { kind: 'text', text: said }];
}

/** Calls come whole. */
function made(reading: ReadingState, { id: serverId, function: written }: z.infer<typeof Call>): ModelEvent[] {
  // No answer can hold more of them.
  if (reading.calls >= BLOCKS_MAX) return [];
  reading.calls += 1;
  const call = { id: reading.idFor(serverId), tool: storedToolName(written.name ?? '') };
  const { arguments: input = '' } = written;
  const inputText = typeof input === 'string' ? input : JSON.stringify(input);
  return [
    ...endThinking(reading),
    { kind: 'call_begun', ...call },
    { kind: 'call_input', id: call.id, text: inputText },
    finishedCall({ ...call, text: inputText }),
  ];
}

/** A piece of thinking is complete when something else begins. */
function endThinking(reading: ReadingState): ModelEvent[] {
  if (!reading.isThinking) return [];
  reading.isThinking = false;
  return [{ kind: 'thinking_signed', signature: fieldSignature('thinking') }];
}

function reasonOf({ done_reason: reason, eval_count: count }: Line, outputTokensMax: number): EndReason {
  if (reason !== 'length') return 'answered';
  // It is also said when the window is full.
  return typeof count === 'number' && count < outputTokensMax ? 'context_too_long' : 'max_tokens';
}

/** What a cache had is counted among the input. Part of a count is none. */
function usageIn({ prompt_eval_count: input, eval_count: output }: Line): ModelEvent[] {
  if (typeof input !== 'number' || typeof output !== 'number') return [];
  return [{ kind: 'usage', usage: { input, output, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 } }];
}
