import * as z from 'zod';
import { ANSWER_LENGTH_MAX } from '../limits.js';
import { methods } from '../method.js';
import { NodeId, Sha256, TreeId, TurnId } from '../node.js';
import { Question } from '../question.js';
import {
  AbsolutePath,
  Access,
  AgentEvent,
  Grants,
  Level,
  SettingsChange,
  TranscriptPlace,
  TurnLimits,
  TurnOutcome,
  WindowTokens,
} from '../turn.js';
import { Usage } from '../usage.js';
import { Input } from './turn_methods.js';

const count = z.int().nonnegative();
const Price = z.int().nonnegative().nullable();

const Running = z.strictObject({
  ...{ turn: TurnId, tree: TreeId, node: NodeId, tip: NodeId, model: z.string(), level: Level },
  /** `asking` runs no more until a person answers its questions. */
  activity: z.enum(['starting', 'compacting', 'waiting', 'answering', 'calling', 'retrying', 'ending', 'asking']),
  ...{ iterations: count, usage: Usage.nullable(), price_microdollars: Price, started_at_ms: count },
  /** Of a sub-session: the call that began it, and the first words of what it is to do. */
  parent: z.strictObject({ turn: TurnId, call: z.string() }).nullable(),
  task: z.string().nullable(),
  /** What it waits for, while it does. */
  questions: z.array(Question),
});

const stream = z.string().min(1).max(200);
const which = { access: Access.default({}), change: SettingsChange.nullable().default(null) };

/** What whoever lets a turn run brings along. */
const brought = {
  limits: TurnLimits.prefault({}),
  /** Whether the path is summarised when the model's window is nearly full. */
  compact: z.enum(['auto', 'off']).default('auto'),
  window: WindowTokens,
  /** The folder of the caller: where commands run until one of them goes elsewhere. */
  cwd: AbsolutePath,
  /** The caller's; of it a model's commands get where programs are, and how text is written. */
  environment: z.record(z.string().max(32_768), z.string().max(1_048_576)).nullable().default(null),
  grants: Grants.prefault({}),
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
      /** The model when nothing on the path or in the tree says one. */
      usual_model: z.string().min(1).max(400).nullable().default(null),
      /** Null for one in the home folder, named by the hub. */
      transcript: TranscriptPlace.nullable().default(null),
      ...brought,
    }),
    result: TurnOutcome,
    event: AgentEvent,
  },
  'agent.answer': {
    description: 'Answers a question of a turn that waits for a person, once; after the last one the turn goes on.',
    params: z.strictObject({
      turn: TurnId,
      /** The call that asks, by the model’s id of it or by the one that its node will have: an approval by that alone. */
      call: z.string().min(1).max(200),
      /** Words, or the number of an option, from 1. */
      answer: z.union([z.string().max(ANSWER_LENGTH_MAX), z.strictObject({ option: z.int().positive().max(1_000) })]),
      access: Access.default({}),
      ...brought,
    }),
    /** `waiting` while other questions are open. */
    result: TurnOutcome,
    event: AgentEvent,
  },
  'agent.compact': {
    description: 'Has the model of a path summarise it, and appends the summary: what follows is sent with that alone.',
    params: z.strictObject({
      /** The summary has the same id. */
      id: TurnId.optional(),
      tree: TreeId,
      /** Where the path ends; inside a step it is the end of that. */
      node: NodeId,
      ...which,
      usual_model: z.string().min(1).max(400).nullable().default(null),
      /** What a person says of the summary: what matters to them. */
      instructions: z.string().min(1).max(65_536).nullable().default(null),
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
      window: WindowTokens,
    }),
    result: z.strictObject({
      /** Null when nothing says one; then only the tokens are estimated. */
      model: z.string().nullable(),
      /** What was counted last on the path, and a token for 4 bytes of what came since. */
      tokens: count,
      /** Tokens that fit the model; null when that is not known. */
      window: count.nullable(),
      output_max: count.nullable(),
      cached: z.strictObject({
        tokens: count,
        /** `unknown` where a provider does not say how it caches. */
        state: z.enum(['warm', 'cold', 'unknown']),
        until_ms: count.nullable(),
      }),
      /** Of the input alone. */
      price_microdollars: Price,
    }),
    callerGone: 'cancel',
  },
  'agent.check': {
    description: 'Tells which model a turn would use, and fails when its provider cannot be reached for want of a key.',
    params: z.strictObject({
      /** Where the turn would begin; null for a tree that is to be. */
      node: NodeId.nullable().default(null),
      ...which,
      usual_model: z.string().min(1).max(400).nullable().default(null),
    }),
    result: z.strictObject({ model: z.string() }),
  },
  'agent.instructions_list': {
    description:
      'Names the files of instructions that a turn at a node is told: those of its settings, else those that it would read.',
    params: z.strictObject({
      /** Null for a tree that is to be. */
      node: NodeId.nullable().default(null),
      /** The project of a tree that is to be; null for none. */
      project: AbsolutePath.nullable().default(null),
      /** Where the caller works. */
      cwd: AbsolutePath,
    }),
    result: z.strictObject({ files: z.array(z.string()) }),
  },
  'agent.plan_get': {
    description:
      'Tells at which level a turn would go on at a node, what the plan of its project says, and how to carry it out.',
    params: z.strictObject({ node: NodeId }),
    result: z.strictObject({
      /** That of the path, else the one that the tree was first used with; `plan` where plans are made. */
      level: Level,
      /** The newest settings of the path at which no plans were made: `change.from` of the turn that carries one out. */
      before: Sha256.nullable(),
      /** Null when the tree has no project. */
      file: z.string().nullable(),
      /** Its beginning, as far as a turn can be given it; null when there is none. */
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
    /** `stopped` is false when it had ended before. */
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
    result: z.strictObject({ turns: z.array(Running) }),
  },
  'agent.providers': {
    description: 'Lists the providers of models, and the short names of models.',
    params: z.strictObject({}),
    result: z.strictObject({
      providers: z.array(
        z.strictObject({ name: z.string(), needs_key: z.boolean(), usual_model: z.string().nullable() }),
      ),
      aliases: z.array(z.strictObject({ name: z.string(), model: z.string() })),
    }),
  },
});
