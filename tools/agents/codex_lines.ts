import * as z from 'zod';
import { AgentId } from '../../hub/protocol/outside_agent.js';
import type { Wire } from './agent_cli.js';

export const CodexThread = z.object({ thread: z.object({ id: AgentId }), model: z.string().nullish() });
export const CodexTurn = z.object({ turn: z.object({ id: AgentId }) });
export const RequestError = z.object({ message: z.string() });

const Item = z.object({
  ...{ id: z.string(), type: z.string(), text: z.string().optional(), command: z.string().optional() },
  ...{ aggregatedOutput: z.string().nullish(), exitCode: z.number().nullish(), status: z.string().optional() },
  changes: z.array(z.object({ path: z.string(), diff: z.string().catch('') })).optional(),
  ...{ server: z.string().optional(), tool: z.string().optional(), arguments: z.unknown().optional() },
  query: z.string().optional(),
});
type Item = z.infer<typeof Item>;

const TurnError = z.object({ message: z.string(), codexErrorInfo: z.unknown().optional() });
const ofTurn = { turnId: z.string() };
const tokens = z.int().nonnegative();

/** What the app server tells without being asked, as far as it matters here. */
export const CodexNotice = z.discriminatedUnion('method', [
  z.object({ method: z.literal('item/started'), params: z.object({ ...ofTurn, item: Item }) }),
  z.object({ method: z.literal('item/completed'), params: z.object({ ...ofTurn, item: Item }) }),
  z.object({ method: z.literal('item/agentMessage/delta'), params: z.object({ ...ofTurn, delta: z.string() }) }),
  z.object({
    method: z.literal('item/reasoning/summaryTextDelta'),
    params: z.object({ ...ofTurn, delta: z.string() }),
  }),
  z.object({
    method: z.literal('error'),
    params: z.object({ willRetry: z.boolean(), error: z.object({ message: z.string() }) }),
  }),
  z.object({
    method: z.literal('thread/tokenUsage/updated'),
    params: z.object({
      ...ofTurn,
      tokenUsage: z.object({
        last: z.object({ inputTokens: tokens, outputTokens: tokens, cachedInputTokens: tokens.catch(0) }),
      }),
    }),
  }),
  z.object({
    method: z.literal('turn/completed'),
    params: z.object({ turn: z.object({ id: AgentId, status: z.string(), error: TurnError.nullish() }) }),
  }),
]);
export type CodexNotice = z.infer<typeof CodexNotice>;
export type CodexNoticeOf<M extends CodexNotice['method']> = Extract<CodexNotice, { method: M }>;

/** A call that waits until it is allowed. */
export const CodexApproval = z.object({
  id: z.number(),
  method: z.string().regex(/requestApproval$/),
  params: z.object({ itemId: z.string().optional(), command: z.string().nullish(), reason: z.string().nullish() }),
});

export function startItem(wire: Wire, item: Item): void {
  const call = callOf(item);
  if (call !== null) wire.emit({ kind: 'call_started', call: item.id, ...call });
}

export function endItem(wire: Wire, item: Item): void {
  if (callOf(item) === null) return;
  const diffs = item.changes?.map(({ path, diff }) => `${path}\n${diff}`).join('\n');
  const failed = (item.exitCode ?? 0) !== 0 || item.status === 'failed' || item.status === 'declined';
  const text = item.aggregatedOutput ?? diffs ?? item.status ?? '';
  wire.emit({ kind: 'call_ended', call: item.id, text, failed });
}

/** What of an item is a call; null for what is said. */
function callOf(item: Item): { tool: string; input: unknown } | null {
  switch (item.type) {
    case 'commandExecution':
      return { tool: 'shell', input: { command: item.command ?? '' } };
    case 'fileChange':
      return { tool: 'edit', input: { paths: item.changes?.map(({ path }) => path) ?? [] } };
    case 'mcpToolCall':
      return { tool: `${item.server ?? 'mcp'}.${item.tool ?? ''}`, input: item.arguments ?? {} };
    case 'webSearch':
      return { tool: 'web_search', input: { query: item.query ?? '' } };
    default:
      return null;
  }
}

const Status = z.record(z.string(), z.object({ httpStatusCode: z.number().nullable() }));

/** The status of the HTTP answer that a turn failed with; null where it tells none. */
export function statusIn(info: unknown): number | null {
  const parsed = Status.safeParse(info);
  return parsed.success ? (Object.values(parsed.data)[0]?.httpStatusCode ?? null) : null;
}
