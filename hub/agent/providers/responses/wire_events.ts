import * as z from 'zod';
import { tokenCount } from '../blocks/token_count.js';

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const index = z.number().catch(0);
const texts = z
  .array(z.object({ text, refusal: text }))
  .nullish()
  .catch(null)
  .transform((parts) => parts ?? []);

/** An item of an answer. The raw form is kept beside it: reasoning is sent back unchanged. */
const AnswerItem = z.unknown().transform((raw) => ({
  raw,
  ...z
    .object({ type: text, call_id: text, name: text, arguments: text.catch(''), content: texts, summary: texts })
    .parse(raw),
}));
export type AnswerItem = z.infer<typeof AnswerItem>;

const WireUsage = z.object({
  input_tokens: tokenCount,
  output_tokens: tokenCount,
  input_tokens_details: z.object({ cached_tokens: tokenCount, cache_write_tokens: tokenCount }).nullish().catch(null),
});
export type WireUsage = z.infer<typeof WireUsage>;

const Failure = z.object({ code: text, message: text });
const Response = z.object({
  output: z.array(AnswerItem).nullish().catch(null),
  usage: WireUsage.nullish().catch(null),
  error: Failure.nullish().catch(null),
  incomplete_details: z.object({ reason: text }).nullish().catch(null),
});

const item = <T extends string>(type: T) => z.object({ type: z.literal(type), output_index: index, item: AnswerItem });
const delta = <T extends string>(type: T) => z.object({ type: z.literal(type), output_index: index, delta: text });
const end = <T extends string>(type: T) => z.object({ type: z.literal(type), response: Response });

/** The events of an answer that mean something here. */
export const WireEvent = z.discriminatedUnion('type', [
  item('response.output_item.added'),
  item('response.output_item.done'),
  delta('response.output_text.delta'),
  delta('response.refusal.delta'),
  delta('response.function_call_arguments.delta'),
  delta('response.reasoning_summary_text.delta'),
  delta('response.reasoning_text.delta'),
  z.object({ type: z.literal('response.reasoning_summary_part.added'), output_index: index }),
  end('response.completed'),
  end('response.incomplete'),
  end('response.failed'),
  z.object({ type: z.literal('error'), code: text, message: text }),
]);
export type WireEvent = z.infer<typeof WireEvent>;
export const KNOWN_EVENTS = new Set<string>(WireEvent.options.map((option) => option.shape.type.value));
