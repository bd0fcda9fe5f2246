import * as z from 'zod';
import { Hint } from './errors.js';
import { Json } from './node.js';

/** The name of an outside agent, such as `claude`. It names a folder. */
export const AgentName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, { message: 'must be the name of an agent: small letters, digits and dashes' })
  .brand<'AgentName'>();
export type AgentName = z.infer<typeof AgentName>;

/** An agent's own id of a session, or of a message or turn in it. It may name a file. */
export const AgentId = z
  .string()
  .regex(/^[A-Za-z0-9][\w.:-]{0,199}$/, { message: 'must be an id: letters, digits, and _ . : - after the first' })
  .brand<'AgentId'>();
export type AgentId = z.infer<typeof AgentId>;

/** The model that an agent is to ask; it becomes an argument of its program. */
export const AgentModel = z
  .string()
  .regex(/^[A-Za-z0-9][\w.:/@[\]-]{0,199}$/, { message: 'must be the name of a model' })
  .brand<'AgentModel'>();
export type AgentModel = z.infer<typeof AgentModel>;

/** What the name of an agent or of a model comes to, for work that an agent is to do. */
export const ModelChoice = z.discriminatedUnion('kind', [
  /** With the model that it is to ask; null for its own choice. */
  z.strictObject({ kind: z.literal('carried'), agent: AgentName, model: AgentModel.nullable() }),
  /** `is_ours`: the name says a provider of ours, which can ask that model without an agent. */
  z.strictObject({ kind: z.literal('not_carried'), model: z.string(), is_ours: z.boolean() }),
  z.strictObject({ kind: z.literal('deprecated'), model: z.string(), instead: z.string() }),
  z.strictObject({ kind: z.literal('unknown'), near: z.string().nullable() }),
]);
export type ModelChoice = z.infer<typeof ModelChoice>;

/** What an agent is to be, such as `reviewer`. It names a file. */
export const RoleName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,40}$/, { message: 'must be the name of a role: small letters, digits, - and _' })
  .brand<'RoleName'>();
export type RoleName = z.infer<typeof RoleName>;

/**
 * What an agent can do beside answering: `fork_at` is from a point of a session, `seed` from turns that were not its own, `tools` is that
 * it can be kept from running commands.
 */
export const AgentAbility = z.enum(['live', 'fork', 'fork_at', 'seed', 'ask', 'steer', 'tools']);
export type AgentAbility = z.infer<typeof AgentAbility>;

/** Why an exchange with an agent failed. */
export const FaultKind = z.enum([
  ...['not_installed', 'not_logged_in', 'rate_limited', 'overloaded', 'refused', 'session_lost', 'session_switched'],
  ...['too_long', 'timeout', 'idle', 'killed', 'cancelled', 'protocol', 'empty', 'failed'],
] as const);
export type FaultKind = z.infer<typeof FaultKind>;

export const Fault = z.strictObject({
  kind: FaultKind,
  message: z.string(),
  /** What to do about it; null for nothing in particular. */
  hint: Hint.nullable(),
  /** Whether the same may work later. */
  retryable: z.boolean(),
});
export type Fault = z.infer<typeof Fault>;

const count = z.int().nonnegative();
const call = z.string().max(400);

/** What happens in one exchange with an agent, the same for all of them. */
export const ExchangeEvent = z.discriminatedUnion('kind', [
  /** Its session, as it names it itself. */
  z.strictObject({ kind: z.literal('opened'), session: AgentId, model: z.string().nullable() }),
  z.strictObject({ kind: z.literal('text'), text: z.string() }),
  z.strictObject({ kind: z.literal('thinking'), text: z.string() }),
  z.strictObject({ kind: z.literal('call_started'), call, tool: z.string(), input: Json }),
  z.strictObject({ kind: z.literal('call_ended'), call, text: z.string(), failed: z.boolean() }),
  /** It waits until the question is answered: whether a call may run, or what a person thinks. */
  z.strictObject({
    ...{ kind: z.literal('asked'), question: call, call: call.nullable(), text: z.string() },
    ...{ options: z.array(z.string()), isPermission: z.boolean() },
    /** What it wants to do, in its own words. */
    ...{ tool: z.string(), input: Json },
  }),
  /** For the person: a warning, or a line that nobody understands. */
  z.strictObject({ kind: z.literal('noted'), text: z.string() }),
  /** Since the last such event; the input without what came from a cache or went to one. */
  z.strictObject({
    ...{ kind: z.literal('used'), input_tokens: count, output_tokens: count },
    ...{ cache_read_tokens: count, cache_write_tokens: count },
  }),
  /** The last of them. */
  z.strictObject({
    ...{ kind: z.literal('ended'), session: AgentId.nullable() },
    /** Its id of the last message or turn, to fork there; null where it has none. */
    ...{ at: AgentId.nullable(), text: z.string(), fault: Fault.nullable() },
  }),
]);
export type ExchangeEvent = z.infer<typeof ExchangeEvent>;
export type ExchangeEnd = Extract<ExchangeEvent, { kind: 'ended' }>;

/** An outside agent that answers in a turn instead of a model. */
export const OutsideWork = z.strictObject({
  agent: AgentName,
  /** Null for the agent's own choice. */
  model: AgentModel.nullable().default(null),
  /** What it is to be, by name; a description makes a role that is not known. */
  role: RoleName.nullable().default(null),
  role_description: z.string().min(1).max(4_096).nullable().default(null),
});
export type OutsideWork = z.output<typeof OutsideWork>;
