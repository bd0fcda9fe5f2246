import * as z from 'zod';
import { AgentId } from '../../hub/protocol/outside_agent.js';

const Block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown().optional() }),
  z.object({
    ...{ type: z.literal('tool_result'), tool_use_id: z.string(), is_error: z.boolean().nullish() },
    content: z.unknown().optional(),
  }),
  /** Any other, such as thinking. */
  z.object({ type: z.literal('other') }),
]);
export type ClaudeBlock = z.infer<typeof Block>;
const Blocks = z.array(Block.catch({ type: 'other' }));
const tokens = z.int().nonnegative().catch(0);
const parent = z.string().nullish();

/** The lines that Claude Code prints, as far as they matter here. */
export const ClaudeLine = z.discriminatedUnion('type', [
  z.object({
    ...{ type: z.literal('system'), subtype: z.string(), session_id: AgentId.optional() },
    ...{ model: z.string().optional(), error: z.string().optional() },
  }),
  z.object({
    type: z.literal('stream_event'),
    parent_tool_use_id: parent,
    event: z.object({
      type: z.string(),
      delta: z
        .object({ type: z.string().optional(), text: z.string().optional(), thinking: z.string().optional() })
        .optional(),
    }),
  }),
  z.object({
    ...{ type: z.literal('assistant'), parent_tool_use_id: parent, uuid: AgentId.optional() },
    message: z.object({ content: Blocks }),
  }),
  z.object({
    ...{ type: z.literal('user'), parent_tool_use_id: parent },
    message: z.object({ content: Blocks.catch([]) }),
  }),
  z.object({
    type: z.literal('control_request'),
    request_id: z.string(),
    request: z.object({
      ...{ subtype: z.string(), tool_name: z.string().optional(), input: z.unknown().optional() },
      ...{ tool_use_id: z.string().optional(), description: z.string().optional() },
    }),
  }),
  z.object({
    ...{ type: z.literal('result'), subtype: z.string(), is_error: z.boolean(), session_id: AgentId },
    ...{ api_error_status: z.number().nullish(), terminal_reason: z.string().nullish(), result: z.string().nullish() },
    ...{ errors: z.array(z.string()).optional(), origin: z.object({ kind: z.string().optional() }).nullish() },
    usage: z
      .object({
        ...{ input_tokens: tokens, output_tokens: tokens },
        ...{ cache_read_input_tokens: tokens, cache_creation_input_tokens: tokens },
      })
      .optional(),
  }),
]);
export type ClaudeLine = z.infer<typeof ClaudeLine>;
export type ClaudeLineOf<T extends ClaudeLine['type']> = Extract<ClaudeLine, { type: T }>;

const TextParts = z.array(z.object({ text: z.string() }).catch({ text: '' }));

/** The text of a result, which is a text or a list of blocks. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = TextParts.safeParse(content);
  return parts.success ? parts.data.map(({ text }) => text).join('\n') : '';
}
