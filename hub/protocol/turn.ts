import * as z from 'zod';
import { ErrorData } from './errors.js';
import { AUTHORITIES_LENGTH_MAX } from './limits.js';
import { Blocks, Json, NodeId, Sha256, TreeId, TurnId } from './node.js';
import { Question } from './question.js';
import { RequestId, Usage } from './usage.js';

const count = z.int().nonnegative();
export const AbsolutePath = z.string().max(4_096).startsWith('/', { message: 'must be an absolute path' });

/**
 * What a model may do: `orchestrator` is to start sub-sessions as well; `plan` is to look, to write the plan of the project
 * and to ask the person; at `ask` the person permits each change and each command.
 */
export const Level = z.enum(['minimal', 'orchestrator', 'readonly', 'plan', 'ask']);
export type Level = z.infer<typeof Level>;

/** The amount of thinking; `auto` is what the model's makers recommend for agents. */
export const ThinkingLevel = z.enum(['off', 'low', 'medium', 'high', 'max', 'auto']);
export type ThinkingLevel = z.infer<typeof ThinkingLevel>;

/** How long a prefix cache that is told so keeps a path; `auto` follows from the pauses of the person. */
export const CacheChoice = z.enum(['auto', '5m', '1h']);
export type CacheChoice = z.infer<typeof CacheChoice>;

/** The thinking settings by model, used where the path has none; `*` matches any other model. */
export const UsualThinking = z.record(z.string().max(400), ThinkingLevel);
export type UsualThinking = z.infer<typeof UsualThinking>;

const HeaderName = z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, { message: 'must be the name of a header' });
const HeaderValue = z.string().regex(/^[\t\x20-\x7e]{0,8192}$/, { message: 'must be the value of a header' });
const PerModel = z.string().max(400);
const dollars = z.number().min(0).max(1_000_000);

/** US dollars for a million tokens; what is null costs as much as input. */
export const ModelPrice = z.strictObject({
  ...{ input: dollars, output: dollars },
  ...{ cache_read: dollars.nullable().default(null), cache_write: dollars.nullable().default(null) },
});
export type ModelPrice = z.output<typeof ModelPrice>;

/** What the SDK of a cloud is told besides a key: where, and as whom it signs in. */
export const CloudField = z.enum([
  ...['region', 'project', 'profile', 'credentials_file'],
  ...['access_key_id', 'secret_access_key', 'session_token'],
] as const);
export type CloudField = z.infer<typeof CloudField>;

/**
 * How providers are reached, by their names: from the caller's environment, for this call only. Neither rows nor logs, events
 * or errors ever hold a key or what a header says.
 */
export const Access = z.record(
  z.string().max(100),
  z.strictObject({
    base_url: z.string().max(4_096).nullable().default(null),
    key: z.string().max(16_384).nullable().default(null),
    /** Where the key comes from, when one is needed: words for who has to set it. */
    key_from: z.string().max(400).nullable().default(null),
    /** Whether the caller gets the key when a turn is refused for want of it. */
    key_pending: z.boolean().default(false),
    /** Instead of the provider's; in `authorization` the key is a bearer token. */
    key_header: HeaderName.nullable().default(null),
    headers: z.record(HeaderName, HeaderValue).default({}),
    cloud: z.partialRecord(CloudField, z.string().max(16_384)).default({}),
    /** Of a server of the caller's own: the provider whose protocol it speaks. */
    kind: z.string().max(100).nullable().default(null),
    /** Its models, as far as they are named. */
    models: z.array(z.string().max(300)).max(1_000).default([]),
    /** What the caller says of models by their names; `*` is every other one. */
    windows: z.record(PerModel, z.int().positive().max(100_000_000)).default({}),
    prices: z.record(PerModel, ModelPrice).default({}),
  }),
);
export type Access = z.output<typeof Access>;

/**
 * How model servers are reached from where the caller is, as its environment says; for this call only. Null is straight, with the
 * authorities that Node trusts. An address may hold a name and a password: it is stored and told as little as a key.
 */
export const Route = z
  .strictObject({
    https_proxy: z.string().max(4_096).nullable().default(null),
    http_proxy: z.string().max(4_096).nullable().default(null),
    /** Hosts, domains and networks that are reached without a proxy. */
    no_proxy: z.string().max(65_536).nullable().default(null),
    /** Certificates in PEM of authorities that are trusted beside the usual ones. */
    authorities: z.string().max(AUTHORITIES_LENGTH_MAX).nullable().default(null),
    /** Why some of them could not be read: a hint, should one be missing. */
    authorities_problem: z.string().max(8_192).nullable().default(null),
  })
  .nullable()
  .default(null);
export type Route = z.output<typeof Route>;

/** The longest plan that is told to a model. */
export const PLAN_LENGTH_MAX = 262_144;

/** Changed settings from here on; null keeps the path's. */
export const SettingsChange = z.strictObject({
  model: z.string().min(1).max(400).nullable().default(null),
  level: Level.nullable().default(null),
  /** Instead of ours; the instructions of the project and the list of skills are not added to it. */
  system_prompt: z.string().max(1_048_576).nullable().default(null),
  thinking: ThinkingLevel.nullable().default(null),
  /** Read the project's instructions and skills anew. */
  reload: z.boolean().default(false),
  /** Stored settings to take in the place of those on the path. */
  from: Sha256.nullable().default(null),
  /** A plan to carry out: it stands at the end of the system prompt from here on, and the level is none to plan at. */
  plan: z.string().min(1).max(PLAN_LENGTH_MAX).nullable().default(null),
  /** False takes sub-sessions away, here and for what follows; no value gives a level what it has not. */
  spawn: z.literal(false).nullable().default(null),
  /** Whether models read pages of the public internet: not at the level at which plans are made, and not by their commands. */
  web: z.boolean().nullable().default(null),
});
export type SettingsChange = z.output<typeof SettingsChange>;

const most = z.int().positive().nullable().default(null);

/** The limits of a turn; null for the default. */
export const TurnLimits = z.strictObject({
  iterations: z.int().positive().max(10_000).nullable().default(null),
  tokens: most,
  cost_microdollars: most,
  /** Whether what other turns from the same node have cost counts, too. */
  cost_shared: z.boolean().default(false),
  time_ms: z.int().positive().max(604_800_000).nullable().default(null),
});
export type TurnLimits = z.output<typeof TurnLimits>;

/** Grants beyond the default, which is to change the project in the sandbox, without network. */
export const Grants = z.strictObject({
  network: z.boolean().default(false),
  write_paths: z.array(AbsolutePath).max(50).default([]),
  /** Commands run as in the person's own shell. */
  unsandboxed: z.boolean().default(false),
  /** The project may be the person's home folder, or a folder above it. */
  whole_home: z.boolean().default(false),
});
export type Grants = z.output<typeof Grants>;

/** The name of a command in the background. */
export const JobName = z.string().regex(/^[\w.-]{1,40}$/, { message: 'must be 1 to 40 letters, digits, dots, dashes' });

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

/** The outcome of a turn. */
export const TurnOutcome = z.strictObject({
  turn: TurnId,
  tree: TreeId,
  state: z.enum(['running', 'waiting', 'done', 'stopped', 'interrupted', 'failed']),
  /** Null when it ended in a hub before this one. */
  why: TurnReason.nullable(),
  failure: z.strictObject({ message: z.string(), data: FailureData }).nullable(),
  /** The last node that it committed; where the next turn goes on. */
  tip: NodeId,
  /** The model's last text. */
  text: z.string(),
  /** Null when nobody counted, and when the price is not known. */
  usage: Usage.nullable(),
  price_microdollars: Price,
  /** The open questions of a parked turn; some may have answers. */
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

/** The events of a turn. Only `step_committed` names nodes. */
export const AgentEvent = z.discriminatedUnion('kind', [
  z.strictObject({
    ...{ kind: z.literal('turn_started'), ...ofTurn, tree: TreeId, node: NodeId },
    ...{ model: z.string(), level: Level },
    /** The files of instructions that were read for it: at the first turn of a tree, and when that was asked for. */
    instructions: z.array(z.string()),
    /** Those of them that are longer than what a model is told. */
    cut: z.array(z.string()),
    /** Those that were not read: they are links out of the project, or to what is hidden. */
    refused: z.array(z.string()),
  }),
  /** Its transcript is in this file from now on; or could not be written, which is no failure of the turn. */
  z.strictObject({ kind: z.literal('transcript_opened'), ...ofTurn, file: z.string() }),
  z.strictObject({ kind: z.literal('transcript_failed'), ...ofTurn, file: z.string(), message: z.string() }),
  /** Background commands of a tree; `told` is for the person: how one has ended, and what it leaves in the project. */
  z.strictObject({
    ...{ kind: z.literal('jobs_changed'), ...ofTurn, tree: TreeId, running: count, told: z.string().nullable() },
  }),
  /** Its model is overloaded, and the fallback model goes on with the turn, and with the branch. */
  z.strictObject({
    ...{ kind: z.literal('model_replaced'), ...ofTurn, from: z.string(), model: z.string(), message: z.string() },
  }),
  /** Its server refuses an image of the path, by this message: the rest of the turn goes on without any. */
  z.strictObject({ kind: z.literal('images_left_out'), ...ofTurn, message: z.string() }),
  /** A sub-session wants the key of a server, which the caller gives with `agent.key_give`. */
  z.strictObject({ kind: z.literal('key_wanted'), ...ofTurn, provider: z.string() }),
  /** Its commits, and files that will run as the person. Sent before it ends or parks. */
  z.strictObject({ kind: z.literal('project_noted'), ...ofTurn, lines: z.array(z.string()) }),
  /** A snapshot for late subscribers: the text and calls of the current step; null between steps. */
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
  /** The answer starts over: drop what was streamed of it. */
  z.strictObject({ kind: z.literal('answer_restarted'), ...ofTurn, attempt: count }),
  z.strictObject({
    ...{ kind: z.literal('usage_counted'), ...ofTurn, request: RequestId, usage: Usage, price_microdollars: Price },
  }),
  z.strictObject({
    ...{ kind: z.literal('call_started'), ...ofTurn, call: z.string(), id: NodeId },
    ...{ tool: z.string(), input: Json },
  }),
  /** The output of a command, as base64; skipped for slow readers. */
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
  /** The path is summarised before the next request, or a branch that was left; `tokens` is what was estimated of that. */
  z.strictObject({ kind: z.literal('compaction_started'), ...ofTurn, tokens: count, of: z.enum(['path', 'branch']) }),
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
