import * as z from 'zod';
import { ANSWER_LENGTH_MAX } from '../limits.js';
import { methods } from '../method.js';
import { NodeId, Sha256, TreeId, TurnId } from '../node.js';
import { OutsideWork } from '../outside_agent.js';
import { Question } from '../question.js';
import {
  AbsolutePath,
  Access,
  AgentEvent,
  CacheChoice,
  Grants,
  JobName,
  Level,
  Route,
  SettingsChange,
  TranscriptPlace,
  TurnLimits,
  TurnOutcome,
  UsualThinking,
  WindowTokens,
} from '../turn.js';
import { Usage } from '../usage.js';
import { Input } from './turn_methods.js';

const count = z.int().nonnegative();
const Price = z.int().nonnegative().nullable();

export const RunningTurn = z.strictObject({
  ...{ turn: TurnId, tree: TreeId, node: NodeId, tip: NodeId, model: z.string(), level: Level },
  /** `asking`: parked until a person answers its questions. */
  activity: z.enum(['starting', 'compacting', 'waiting', 'answering', 'calling', 'retrying', 'ending', 'asking']),
  ...{ iterations: count, usage: Usage.nullable(), price_microdollars: Price, started_at_ms: count },
  /** For a sub-session: the call that began it, and the first words of its task. */
  parent: z.strictObject({ turn: TurnId, call: z.string() }).nullable(),
  task: z.string().nullable(),
  /** What it waits for; and whose hub has it, if another does: with the time when that was heard of last, while it cannot be asked. */
  ...{ questions: z.array(Question), by: z.string().optional(), seen_at_ms: count.optional() },
});

/** A command that a model runs in the background. */
const Job = z.strictObject({
  /** The turn that began it. */
  ...{ tree: TreeId, turn: TurnId, name: JobName, command: z.string(), started_at_ms: count },
  ended: z.strictObject({ at_ms: count, exit_code: z.int().nullable(), how: z.string() }).nullable(),
  /** The end of what it has printed. */
  ...{ last: z.string(), output_bytes: count },
});

/**
 * A server of models; `runs` is whether one on this machine answered, and null for others. With `by_sdk` a cloud's SDK signs in;
 * `to_install` is the line that installs what is missing for it.
 */
const ModelServer = z.strictObject({
  ...{ name: z.string(), address: z.string().nullable(), key_variable: z.string().nullable() },
  key: z.enum(['given', 'by_command', 'by_sdk', 'missing', 'none_needed']),
  ...{ runs: z.boolean().nullable(), to_install: z.string().nullable() },
  models: z.array(
    z.strictObject({
      ...{ model: z.string(), short_names: z.array(z.string()) },
      ...{ window: count.nullable(), window_from: z.enum(['configuration', 'table', 'server']).nullable() },
      /** US dollars for a million tokens. */
      price: z.strictObject({ input: z.number(), output: z.number() }).nullable(),
      price_from: z.enum(['configuration', 'table']).nullable(),
      abilities: z.strictObject({ tools: z.boolean(), images: z.boolean(), thinking: z.boolean() }).nullable(),
    }),
  ),
});

const stream = z.string().min(1).max(200);
const reached = { access: Access.default({}), route: Route };
const which = { ...reached, change: SettingsChange.nullable().default(null) };

/** The parameters of every call that runs a turn. */
const brought = {
  limits: TurnLimits.prefault({}),
  /** Whether the path is summarised when the model's window is nearly full. */
  compact: z.enum(['auto', 'off']).default('auto'),
  cache: CacheChoice.default('auto'),
  /** The model that goes on where the turn's own stays overloaded. */
  fallback: z.string().min(1).max(400).nullable().default(null),
  window: WindowTokens,
  /** The caller's working folder, where commands run until one changes it. */
  cwd: AbsolutePath,
  /** The caller's environment, of which a model's commands get `PATH` and the locale. */
  environment: z.record(z.string().max(32_768), z.string().max(1_048_576)).nullable().default(null),
  grants: Grants.prefault({}),
  /** Whether the caller answers `key_wanted`. */
  gives_keys: z.boolean().default(false),
  stream: stream.optional(),
};

export const agentMethods = methods({
  'agent.run': {
    description: 'Lets a model go on from a node, step by step, until it has answered or a limit is reached.',
    params: z.strictObject({
      id: TurnId.optional(),
      tree: TreeId,
      /** A settled node. */
      node: NodeId,
      ...which,
      /** The model if neither path nor tree has one. */
      usual_model: z.string().min(1).max(400).nullable().default(null),
      usual_thinking: UsualThinking.default({}),
      /** Null for a file in the home folder that the hub names. */
      transcript: TranscriptPlace.nullable().default(null),
      outside: OutsideWork.nullable().default(null),
      ...brought,
    }),
    result: TurnOutcome,
    event: AgentEvent,
  },
  'agent.answer': {
    description: 'Answers a question of a turn that waits for a person, once; after the last one the turn goes on.',
    params: z.strictObject({
      turn: TurnId,
      /** The asking call, by the model’s id or the id of its future node; an approval needs the latter. */
      call: z.string().min(1).max(200),
      /** Words, or the number of an option, from 1. */
      answer: z.union([z.string().max(ANSWER_LENGTH_MAX), z.strictObject({ option: z.int().positive().max(1_000) })]),
      ...reached,
      ...brought,
    }),
    /** `waiting` while other questions are open. */
    result: TurnOutcome,
    event: AgentEvent,
  },
  'agent.compact': {
    description:
      'Has the model of a path summarise it, and appends the summary: what follows is sent with that alone. With `into` only what the path has alone is summarised, as a message there.',
    params: z.strictObject({
      /** The summary has the same id. */
      id: TurnId.optional(),
      tree: TreeId,
      /** The end of the path; within a step, the end of that step. */
      node: NodeId,
      /** A node of the same tree where the conversation goes on, which is told what is on the branch to `node` alone. */
      into: NodeId.nullable().default(null),
      ...which,
      usual_model: z.string().min(1).max(400).nullable().default(null),
      /** The person's instructions for the summary. */
      instructions: z.string().min(1).max(65_536).nullable().default(null),
      cache: CacheChoice.default('auto'),
      window: WindowTokens,
      stream: stream.optional(),
    }),
    result: TurnOutcome,
    event: AgentEvent,
  },
  'agent.estimate': {
    description: 'Estimates the next request below a node: its tokens, how many of them are cached, and the price.',
    params: z.strictObject({
      node: NodeId,
      ...which,
      usual_model: z.string().min(1).max(400).nullable().default(null),
      cache: CacheChoice.default('auto'),
      window: WindowTokens,
    }),
    result: z.strictObject({
      /** Null when none is set; then only tokens are estimated. */
      model: z.string().nullable(),
      /** The last counted request on the path, plus a token per 4 bytes added since. */
      tokens: count,
      /** The model's context window; null when unknown. */
      window: count.nullable(),
      output_max: count.nullable(),
      cached: z.strictObject({
        tokens: count,
        /** `unknown` where a provider does not say how it caches. */
        state: z.enum(['warm', 'cold', 'unknown']),
        until_ms: count.nullable(),
      }),
      /** The price of the input alone. */
      price_microdollars: Price,
    }),
    callerGone: 'cancel',
  },
  'agent.check': {
    description: 'Tells which model a turn would use, and fails when its provider cannot be reached for want of a key.',
    params: z.strictObject({
      /** Where the turn would begin; null for a new tree. */
      node: NodeId.nullable().default(null),
      ...which,
      usual_model: z.string().min(1).max(400).nullable().default(null),
    }),
    /** `key_pending`: the provider whose key the caller still has to get. */
    result: z.strictObject({ model: z.string(), key_pending: z.string().nullable() }),
  },
  'agent.instructions_list': {
    description:
      'Names the files of instructions that a turn at a node is told: those of its settings, else those that it would read.',
    params: z.strictObject({
      /** Null for a new tree. */
      node: NodeId.nullable().default(null),
      /** The project of a new tree; null for none. */
      project: AbsolutePath.nullable().default(null),
      /** The caller's working folder. */
      cwd: AbsolutePath,
    }),
    result: z.strictObject({ files: z.array(z.string()) }),
  },
  'agent.plan_get': {
    description:
      'Tells at which level a turn would go on at a node, what the plan of its project says, and how to carry it out.',
    params: z.strictObject({ node: NodeId }),
    result: z.strictObject({
      /** The path's level, else the tree's first one; `plan` in plan mode. */
      level: Level,
      /** The newest settings outside plan mode: `change.from` of the turn that executes the plan. */
      before: Sha256.nullable(),
      /** Null when the tree has no project. */
      file: z.string().nullable(),
      /** The beginning of the plan, as sent to the turn; null for none. */
      text: z.string().nullable(),
    }),
  },
  'agent.follow': {
    description: 'Sends where a turn stands and what happens in it from now on; with a tree, in all its turns.',
    params: z.strictObject({ turn: TurnId.nullable().default(null), tree: TreeId.nullable().default(null), stream }),
    result: z.strictObject({ outcome: TurnOutcome.nullable() }),
    event: AgentEvent,
    callerGone: 'cancel',
  },
  'agent.stop': {
    description: 'Ends a turn at once and keeps what was said so far.',
    params: z.strictObject({ turn: TurnId }),
    /** `stopped` is false when it had already ended. */
    result: z.strictObject({ stopped: z.boolean(), outcome: TurnOutcome }),
  },
  'agent.steer': {
    description: 'Says something to a running turn: after the step under way, or when it would end.',
    params: z.strictObject({
      id: NodeId.optional(),
      turn: TurnId,
      blocks: Input.shape.blocks,
      kind: Input.shape.kind.default('steer'),
    }),
    result: Input,
  },
  'agent.status': {
    description: 'Lists the turns that run, of one tree or of all.',
    params: z.strictObject({ tree: TreeId.nullable().default(null) }),
    result: z.strictObject({ turns: z.array(RunningTurn) }),
  },
  'agent.job_list': {
    description: 'Lists the commands that models run in the background, and those that have ended, the oldest first.',
    params: z.strictObject({ tree: TreeId.nullable().default(null) }),
    result: z.strictObject({ jobs: z.array(Job) }),
  },
  'agent.job_read': {
    description: 'Reads the end of what a command in the background has printed.',
    params: z.strictObject({
      tree: TreeId,
      name: JobName,
      bytes_max: z.int().positive().max(1_048_576).default(65_536),
    }),
    /** Without the beginning where that does not fit. */
    result: z.strictObject({ job: Job, text: z.string() }),
  },
  'agent.job_stop': {
    description: 'Ends a command in the background with all its processes; without a name, all of the tree.',
    params: z.strictObject({ tree: TreeId, name: JobName.nullable().default(null) }),
    result: z.strictObject({ stopped: z.array(JobName) }),
  },
  'agent.models': {
    description:
      'Lists servers of models with their models, and what is known of each; servers on this machine are asked.',
    params: z.strictObject({
      access: Access.default({}),
      /** One server alone, with all of its models that are known; null for all servers. */
      server: z.string().min(1).max(100).nullable().default(null),
    }),
    result: z.strictObject({ servers: z.array(ModelServer) }),
    callerGone: 'cancel',
  },
  'agent.model_check': {
    description: 'Asks a model a tiny question, outside any tree; fails with what its server says against it.',
    params: z.strictObject({
      model: z.string().min(1).max(400),
      access: Access.default({}),
      route: Route,
      window: WindowTokens,
    }),
    result: z.strictObject({
      ...{ model: z.string(), duration_ms: count },
      ...{ usage: Usage.nullable(), price_microdollars: Price },
    }),
    callerGone: 'cancel',
  },
  'agent.providers': {
    description: 'Lists the providers of models, and the short names of models.',
    params: z.strictObject({ access: Access.default({}) }),
    result: z.strictObject({
      providers: z.array(
        z.strictObject({ name: z.string(), needs_key: z.boolean(), usual_model: z.string().nullable() }),
      ),
      aliases: z.array(z.strictObject({ name: z.string(), model: z.string() })),
    }),
  },
});
