import * as z from 'zod';
import { methods } from '../method.js';
import { NodeId, TreeId, TurnId } from '../node.js';
import { AgentAbility, AgentId, AgentName, ExchangeEvent, Fault, ModelChoice, OutsideWork } from '../outside_agent.js';
import { Policy } from '../policy.js';
import { AbsolutePath, Level } from '../turn.js';
import { onTools, ToolAnswer } from './tool_methods.js';

const stream = z.string().min(1).max(200);
const Environment = z.record(z.string().max(32_768), z.string().max(1_048_576)).nullable();
const milliseconds = z.int().positive().max(604_800_000);

const Installed = z.strictObject({
  name: AgentName,
  /** Its program; null where it is not installed. */
  program: z.string().nullable(),
  version: z.string().nullable(),
  /** How it is logged in: by a variable of the caller's, by what its own login has left in our home of it, or not that we know. */
  login: z.enum(['variable', 'own', 'unknown']),
  /** The variables of a caller that it is given; the first is the usual one with its key. */
  variables: z.array(z.string()),
  abilities: z.array(AgentAbility),
  install: z.string(),
});

const RunningExchange = z.strictObject({
  id: NodeId,
  agent: AgentName,
  session: AgentId.nullable(),
  tree: TreeId,
  started_at_ms: z.int().nonnegative(),
  /** False for a process that is kept for the next exchange. */
  isBusy: z.boolean(),
});

/** Outside agents: the programs of others that work in a tree. */
export const outsideMethods = methods({
  'outside.run': {
    ...onTools,
    description:
      'Lets an outside agent answer what was said last above a node, in its own session for that path, and appends what it did.',
    params: z.strictObject({
      id: NodeId,
      place: z.strictObject({ tree: TreeId, node: NodeId }),
      /** The turn that it is done for; its last node becomes the appended one. */
      turn: TurnId.nullable().default(null),
      ...OutsideWork.shape,
      level: Level,
      cwd: AbsolutePath,
      project: AbsolutePath,
      policy: Policy,
      environment: Environment.default(null),
      /** In all, else as long as its role may take; and without a word of it. */
      time_ms: milliseconds.nullable().default(null),
      idle_ms: milliseconds.default(600_000),
      /** Requests to its model, where it counts them. */
      turns_max: z.int().positive().max(10_000).default(200),
      stream: stream.optional(),
    }),
    result: z.strictObject({
      ...ToolAnswer.shape,
      session: AgentId.nullable(),
      /** What it answered, as far as it came. */
      text: z.string(),
      fault: Fault.nullable(),
    }),
    event: ExchangeEvent,
    callerGone: 'cancel',
  },
  'outside.answer': {
    ...onTools,
    description: 'Answers a question of an outside agent that waits for it.',
    params: z.strictObject({
      id: NodeId,
      question: z.string().min(1).max(400),
      /** Whether a call may run, or words. */
      allow: z.boolean(),
      words: z.string().max(1_048_576).default(''),
    }),
    result: z.strictObject({ answered: z.boolean() }),
  },
  'outside.say': {
    ...onTools,
    description: 'Says something to an outside agent while it works; it hears that where it can.',
    params: z.strictObject({ id: NodeId, text: z.string().min(1).max(1_048_576) }),
    result: z.strictObject({ said: z.boolean() }),
  },
  'outside.list': {
    ...onTools,
    description: 'Lists the outside agents with their programs, versions, logins and abilities, and what runs of them.',
    params: z.strictObject({ environment: Environment.default(null) }),
    result: z.strictObject({
      agents: z.array(Installed),
      running: z.array(RunningExchange),
      /** What is wrong with the models that agents are to carry. */
      warnings: z.array(z.string()),
    }),
  },
  'outside.choose_agent': {
    ...onTools,
    description:
      'Tells which agent a name means: its own, or that of a model, by the table of models and the person’s lines.',
    params: z.strictObject({ name: z.string().min(1).max(400) }),
    result: ModelChoice,
  },
  'outside.login_command': {
    ...onTools,
    description: 'Tells how an agent’s own login is started in our home of it, on the terminal of a person.',
    params: z.strictObject({ agent: AgentName, environment: Environment.default(null) }),
    result: z.strictObject({
      program: z.string(),
      arguments: z.array(z.string()),
      environment: z.record(z.string(), z.string()),
    }),
  },
});
