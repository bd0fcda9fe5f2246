import * as z from 'zod';
import { ErrorData } from './errors.js';
import { Blocks, Json, NodeId, Sha256, TreeId, TurnId } from './node.js';
import { Question } from './question.js';
import { RequestId, Usage } from './usage.js';

const count = z.int().nonnegative();
export const AbsolutePath = z.string().max(4_096).startsWith('/', { message: 'must be an absolute path' });

/**
 * What a model may do: `orchestrator` is to start sub-sessions as well; `plan` is to look, to write the plan of the project
 * and to ask the person.
 */
export const Level = z.enum(['minimal', 'orchestrator', 'readonly', 'plan']);
export type Level = z.infer<typeof Level>;

/**
 * How providers are reached, by their names: from the caller's environment, for this call only. Neither rows nor logs, events
 * or errors ever hold a key.
 */
export const Access = z.record(
  z.string().max(100),
  z.strictObject({
    base_url: z.string().max(4_096).nullable().default(null),
    key: z.string().max(16_384).nullable().default(null),
  }),
);
export type Access = z.output<typeof Access>;

/** The longest plan that is told to a model. */
export const PLAN_LENGTH_MAX = 262_144;

/** What is to be different from here on; null leaves a thing as it is on the path. */
export const SettingsChange = z.strictObject({
  model: z.string().min(1).max(400).nullable().default(null),
  level: Level.nullable().default(null),
  /** Instead of ours; the instructions of the project and the list of skills are not added to it. */
  system_prompt: z.string().max(1_048_576).nullable().default(null),
  thinking: z.enum(['off', 'low', 'medium', 'high']).nullable().default(null),
  /** Read the project's instructions and skills anew. */
  reload: z.boolean().default(false),
  /** Stored settings to take in the place of those on the path. */
  from: Sha256.nullable().default(null),
  /** A plan to carry out: it stands at the end of the system prompt from here on, and the level is none to plan at. */
  plan: z.string().min(1).max(PLAN_LENGTH_MAX).nullable().default(null),
  /** False takes sub-sessions away, here and for what follows; no value gives a level what it has not. */
  spawn: z.literal(false).nullable().default(null),
});
export type SettingsChange = z.output<typeof SettingsChange>;

const most = z.int().positive().nullable().default(null);

/** Where a turn is to end; null for the usual. */
export const TurnLimits = z.strictObject({
  iterations: z.int().positive().max(10_000).nullable().default(null),
  tokens: most,
  cost_microdollars: most,
  time_ms: z.int().positive().max(604_800_000).nullable().default(null),
});
export type TurnLimits = z.output<typeof TurnLimits>;

/** What a person grants beyond what every turn may: to change the project, without the network, in the sandbox. */
export const Grants = z.strictObject({
  network: z.boolean().default(false),
  write_paths: z.array(AbsolutePath).max(50).default([]),
  /** Commands run as in the person's own shell. */
  unsandboxed: z.boolean().default(false),
});
export type Grants = z.output<typeof Grants>;

/** Tokens that fit a model's window, as the person says it of models that the offline table does not know. */
export const WindowTokens = z.int().positive().max(100_000_000).nullable().default(null);

/** Why a turn ended; `question` is that it waits for a person, `asked` a person's stop, `failed` whatever `failure` tells. */
export const TurnReason = z.enum([
  ...['answered', 'iterations', 'tokens', 'cost', 'time', 'max_tokens', 'refused', 'empty', 'context_too_long'],
  ...['question', 'asked', 'hub_ended', 'failed'],
] as const);
export type TurnReason = z.infer<typeof TurnReason>;

const FailureData = ErrorData.extend({ details: z.record(z.string(), Json) });

const Price = z.int().nonnegative().nullable();

/** What a turn has come to. */
export const TurnOutcome = z.strictObject({
  turn: TurnId,
  tree: TreeId,
  state: z.enum(['running', 'waiting', 'done', 'stopped', 'interrupted', 'failed']),
  /** Null when it ended in a hub before this one. */
  why: TurnReason.nullable(),
  failure: z.strictObject({ message: z.string(), data: FailureData }).nullable(),
  /** The last node that it committed; where the next turn goes on. */
  tip: NodeId,
  /** What the model said last. */
  text: z.string(),
  /** Null when nobody counted, and when the price is not known. */
  usage: Usage.nullable(),
  price_microdollars: Price,
  /** What it waits for, while it does; some may have their answers. */
  questions: z.array(Question),
});
export type TurnOutcome = z.infer<typeof TurnOutcome>;

/** A call of the step under way. */
const CallUnderWay = z.strictObject({
  call: z.string(),
  /** The id that its node will have. */
  id: NodeId,
  tool: z.string(),
  input: Json,
  state: z.enum(['waiting', 'running', 'ended']),
});

/** Where the transcript of a turn is written: a file, new or of the same tree, or a folder that is there. */
export const TranscriptPlace = z.union([
  z.strictObject({ file: AbsolutePath }),
  z.strictObject({ folder: AbsolutePath }),
]);
export type TranscriptPlace = z.output<typeof TranscriptPlace>;

const ofTurn = { turn: TurnId };

/** What happens in a turn, in the past tense; none of it is a node, but for what `step_committed` names. */
export const AgentEvent = z.discriminatedUnion('kind', [
  z.strictObject({
    ...{ kind: z.literal('turn_started'), ...ofTurn, tree: TreeId, node: NodeId },
    ...{ model: z.string(), level: Level },
    /** The files of instructions that were read for it: at the first turn of a tree, and when that was asked for. */
    instructions: z.array(z.string()),
  }),
  /** Its transcript is in this file from now on; or could not be written, which is no failure of the turn. */
  z.strictObject({ kind: z.literal('transcript_opened'), ...ofTurn, file: z.string() }),
  z.strictObject({ kind: z.literal('transcript_failed'), ...ofTurn, file: z.string(), message: z.string() }),
  /** Where a turn stands, for who comes later: what was said in the step so far, and its calls; null between steps. */
  z.strictObject({
    ...{ kind: z.literal('turn_snapshot'), ...ofTurn, tree: TreeId, tip: NodeId, model: z.string() },
    step: z.strictObject({ id: NodeId, blocks: Blocks, calls: z.array(CallUnderWay) }).nullable(),
  }),
  /** A request was sent; `node` is the id that its answer will have. */
  z.strictObject({ kind: z.literal('request_started'), ...ofTurn, request: RequestId, node: NodeId, attempt: count }),
  z.strictObject({ kind: z.literal('text_added'), ...ofTurn, text: z.string() }),
  z.strictObject({ kind: z.literal('thinking_added'), ...ofTurn, text: z.string() }),
  /** The model began to write a call, and goes on to. */
  z.strictObject({ kind: z.literal('call_announced'), ...ofTurn, call: z.string(), tool: z.string() }),
  z.strictObject({
    ...{ kind: z.literal('request_failed'), ...ofTurn, request: RequestId, message: z.string(), data: FailureData },
    /** When it is sent again; null when it is given up. */
    retry_in_ms: count.nullable(),
  }),
  /** What was said of this answer before does not count: it begins again. */
  z.strictObject({ kind: z.literal('answer_restarted'), ...ofTurn, attempt: count }),
  z.strictObject({
    ...{ kind: z.literal('usage_counted'), ...ofTurn, request: RequestId, usage: Usage, price_microdollars: Price },
  }),
  z.strictObject({
    ...{ kind: z.literal('call_started'), ...ofTurn, call: z.string(), id: NodeId },
    ...{ tool: z.string(), input: Json },
  }),
  /** What a command prints, as base64; left out for whoever is behind with reading. */
  z.strictObject({
    ...{ kind: z.literal('call_output'), ...ofTurn, call: z.string(), id: NodeId },
    ...{ from: z.enum(['stdout', 'stderr']), offset: count, data: z.string() },
  }),
  z.strictObject({
    ...{ kind: z.literal('call_ended'), ...ofTurn, call: z.string(), id: NodeId },
    ...{ failed: z.boolean(), blocks: Blocks },
  }),
  /** A call began a sub-session, whose own events can be followed; what it says comes as output of the call as well. */
  z.strictObject({
    ...{ kind: z.literal('session_started'), ...ofTurn, call: z.string(), id: NodeId },
    ...{ session: TreeId, session_turn: TurnId, task: z.string(), model: z.string(), attachable: z.boolean() },
  }),
  z.strictObject({ kind: z.literal('step_committed'), ...ofTurn, nodes: z.array(NodeId), tip: NodeId }),
  /** The path is summarised before the next request; `tokens` is what was estimated of that. */
  z.strictObject({ kind: z.literal('compaction_started'), ...ofTurn, tokens: count }),
  /** `node` is the summary, from which on a model is sent what follows; `left_out`: not all of the path fitted what was summarised. */
  z.strictObject({
    ...{ kind: z.literal('context_compacted'), ...ofTurn, node: NodeId, tip: NodeId },
    ...{ tokens_before: count, tokens_after: count, left_out: z.boolean() },
  }),
  z.strictObject({ kind: z.literal('input_taken'), ...ofTurn, input: NodeId, tip: NodeId }),
  z.strictObject({
    ...{ kind: z.literal('question_asked'), ...ofTurn, call: z.string(), id: NodeId },
    ...{ question: z.string(), options: z.array(z.string()), asks: Question.shape.kind },
  }),
  z.strictObject({ kind: z.literal('question_answered'), ...ofTurn, call: z.string(), id: NodeId, answer: z.string() }),
  /** It runs no more until its questions are answered. */
  z.strictObject({ kind: z.literal('turn_parked'), ...ofTurn, outcome: TurnOutcome }),
  /** It runs again, with its step still under way. */
  z.strictObject({
    ...{ kind: z.literal('turn_resumed'), ...ofTurn, tree: TreeId, tip: NodeId },
    ...{ model: z.string(), level: Level },
  }),
  z.strictObject({ kind: z.literal('turn_ended'), ...ofTurn, outcome: TurnOutcome }),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
