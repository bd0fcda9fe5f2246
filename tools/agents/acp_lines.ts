import * as z from 'zod';
import { AgentId, type ExchangeEvent, type Fault } from '../../hub/protocol/outside_agent.js';
import { faultOf, type NamedCli } from './fault.js';

/** The Agent Client Protocol, version 1, as far as it matters here: https://agentclientprotocol.com */
export const AcpInitialized = z.object({
  agentCapabilities: z
    .object({
      loadSession: z.boolean().catch(false),
      sessionCapabilities: z.object({ resume: z.unknown() }).partial().catch({}),
    })
    .partial()
    .catch({}),
});
export type AcpInitialized = z.infer<typeof AcpInitialized>;

export const AcpSession = z.object({ sessionId: AgentId });
/** Agents that have no more to say answer null. */
export const AcpLoaded = z.object({ sessionId: AgentId.optional() }).nullish();

const tokens = z.int().nonnegative().catch(0);
export const AcpPromptEnd = z.object({
  stopReason: z.string(),
  usage: z
    .object({ inputTokens: tokens, outputTokens: tokens, cachedReadTokens: tokens, cachedWriteTokens: tokens })
    .nullish()
    .catch(null),
  /** Where gemini tells its tokens. */
  _meta: z
    .object({ quota: z.object({ token_count: z.object({ input_tokens: tokens, output_tokens: tokens }) }) })
    .nullish()
    .catch(null),
});
export type AcpPromptEnd = z.infer<typeof AcpPromptEnd>;

type Used = Omit<Extract<ExchangeEvent, { kind: 'used' }>, 'kind'>;

/** The tokens of an exchange; null where none are told. */
export function acpUsage({ usage, _meta }: AcpPromptEnd): Used | null {
  if (usage == null) {
    const counted = _meta?.quota.token_count;
    return counted === undefined ? null : { ...counted, cache_read_tokens: 0, cache_write_tokens: 0 };
  }
  const { inputTokens: input_tokens, outputTokens: output_tokens, cachedReadTokens, cachedWriteTokens } = usage;
  return { input_tokens, output_tokens, cache_read_tokens: cachedReadTokens, cache_write_tokens: cachedWriteTokens };
}

export const AcpError = z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() });

const Content = z.object({ type: z.string(), text: z.string().optional() }).catch({ type: 'other' });
const CallContent = z
  .array(
    z.object({
      ...{ type: z.string(), content: Content.optional(), path: z.string().optional() },
      ...{ oldText: z.string().nullish(), newText: z.string().nullish() },
    }),
  )
  .nullish()
  .catch(null);
const Call = z.object({
  ...{ toolCallId: z.string(), title: z.string().nullish(), kind: z.string().nullish() },
  ...{
    status: z.string().nullish(),
    rawInput: z.unknown().optional(),
    rawOutput: z.unknown().optional(),
    content: CallContent,
  },
});
export type AcpCall = z.infer<typeof Call>;

export const AcpUpdate = z.object({
  method: z.literal('session/update'),
  params: z.object({
    update: z.discriminatedUnion('sessionUpdate', [
      z.object({ sessionUpdate: z.literal('agent_message_chunk'), content: Content }),
      z.object({ sessionUpdate: z.literal('agent_thought_chunk'), content: Content }),
      Call.extend({ sessionUpdate: z.literal('tool_call') }),
      Call.extend({ sessionUpdate: z.literal('tool_call_update') }),
    ]),
  }),
});
export type AcpUpdate = z.infer<typeof AcpUpdate>['params']['update'];

export const AcpPermission = z.object({
  id: z.union([z.number(), z.string()]),
  method: z.literal('session/request_permission'),
  params: z.object({ toolCall: Call, options: z.array(z.object({ optionId: z.string(), kind: z.string() })) }),
});
export type AcpPermission = z.infer<typeof AcpPermission>;

/** What a call brought: texts, else the paths that it changed. */
export function acpOutput({ content, rawOutput }: AcpCall): string {
  const parts = (content ?? [])
    .map(({ content: inner, path }) => inner?.text ?? path ?? '')
    .filter((text) => text !== '');
  if (parts.length > 0) return parts.join('\n');
  return typeof rawOutput === 'string' ? rawOutput : '';
}

/** What a call that waits for a permission would do: as much of it as the agent tells. */
export function permissionInput({ title, rawInput, content }: AcpCall): object {
  const isTold = typeof rawInput === 'object' && rawInput !== null && Object.keys(rawInput).length > 0;
  const changes = (content ?? []).flatMap(({ path, oldText, newText }) =>
    path === undefined ? [] : [{ path, old: oldText ?? '', new: newText ?? '' }],
  );
  const about = isTold ? { ...rawInput } : { title: title ?? '' };
  if (isTold || changes.length === 0) return about;
  return { ...about, ...Object.assign({}, ...changes.map((change, at) => numbered(change, at))) };
}

function numbered(change: { path: string; old: string; new: string }, at: number): object {
  const suffix = at === 0 ? '' : ` ${at + 1}`;
  return Object.fromEntries(Object.entries(change).map(([name, text]) => [`${name}${suffix}`, text]));
}

/** What an agent is told of a question: the chosen option, or that it was given up. */
export function outcomeFor(id: number | string, optionId: string | null): object {
  const outcome = optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
  return { jsonrpc: '2.0', id, result: { outcome } };
}

/** Why an answer ended that is no good one. */
export function faultOfStop({ cli, text }: { cli: NamedCli; text: string }, stopReason: string): Fault | null {
  switch (stopReason) {
    case 'end_turn':
      return text === '' ? faultOf(cli, 'empty', '') : null;
    case 'cancelled':
      return faultOf(cli, 'cancelled', '');
    case 'refusal':
      return faultOf(cli, 'refused', '');
    case 'max_tokens':
      return faultOf(cli, 'too_long', '');
    default:
      return faultOf(cli, 'failed', `it stopped: ${stopReason}`);
  }
}
