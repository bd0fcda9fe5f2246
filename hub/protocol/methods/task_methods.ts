import * as z from 'zod';
import { methods } from '../method.js';
import { NodeId, Sha256, TreeId, TurnId } from '../node.js';
import { limitUpTo } from '../page_schema.js';
import { Level } from '../turn.js';
import { RemoteName } from './sharing_methods.js';

const count = z.int().nonnegative();
const ModelName = z.string().min(1).max(400);
const Login = z.string().min(1).max(100);

/** What a worker calls a project, and who asks for work in it: a word, no path. */
const ProjectName = z.string().regex(/^(?!\.{1,2}$)[^/\p{C}]{1,100}$/u, { message: 'must be the name of a project' });

const TaskState = z.enum(['queued', 'running', 'done', 'failed', 'stopped']);

/** Person and machine, as they say themselves, their hub, and their login. */
const Runner = z.strictObject({ by: z.string().nullable(), hub: z.uuid(), login: Login });

/** A message of a shared tree that a worker is to answer, as the remote has it. */
export const Task = z.strictObject({
  id: z.uuid(),
  /** Who wrote it, by their login at the database. */
  login: Login,
  /** What is to be answered; its hash names all that was said before it. */
  ...{ tree: TreeId, node: NodeId, hash: Sha256 },
  ...{ project: ProjectName, model: ModelName.nullable(), level: Level.nullable() },
  cost_microdollars: z.int().positive().nullable(),
  state: TaskState,
  /** Its worker is to end it. */
  stop: z.boolean(),
  /** How many workers went away while they ran it, and how often it failed. */
  ...{ lost: count, failed: count },
  /** Who runs or ran it, and who did before. */
  ...{ worker: Runner.nullable(), former: Runner.nullable() },
  /** The last node that its worker has sent. */
  tip: NodeId.nullable(),
  price_microdollars: count,
  reason: z.string().max(2_000).nullable(),
  ...{ made_at_ms: count, began_at_ms: count.nullable(), ended_at_ms: count.nullable() },
});
export type Task = z.infer<typeof Task>;

/** What a worker takes. */
export const WorkerFacts = z.strictObject({
  id: z.uuid(),
  project: ProjectName,
  level: Level,
  /** The models that may be asked for, each by every name that it has. */
  models: z.array(ModelName).max(100),
  /** Whose tasks, by their logins; null for those of its own login, `*` for anybody. */
  people: z.union([z.literal('*'), z.array(Login).min(1).max(100)]).nullable(),
  at_once: z.int().min(1).max(64),
});
export type WorkerFacts = z.infer<typeof WorkerFacts>;

/** A worker that was there within the last minute, and what it says of itself. */
export const ListedWorker = z.strictObject({
  ...{ id: z.uuid(), project: ProjectName, level: Level, at_once: count, running: count, seen_at_ms: count },
  ...{ by: z.string(), login: Login, people: z.string(), models: z.string() },
});

export const ListedTask = Task.extend({
  /** The name or title of its tree. */
  title: z.string(),
  /** Whether the login of this home has asked for it. */
  own: z.boolean(),
});

const onRemote = { remote: RemoteName };
const waitMs = z.int().nonnegative().max(60_000).default(0);
/** The worker's proof that it runs the task. */
const held = { ...onRemote, task: z.uuid(), token: z.uuid() };

export const taskMethods = methods({
  'sharing.task_create': {
    description: 'Asks the workers of a remote to answer a message; its tree is shared and sent first.',
    params: z.strictObject({
      ...{ ...onRemote, id: z.uuid(), tree: TreeId, node: NodeId, project: ProjectName },
      ...{ model: ModelName.nullable().default(null), level: Level.nullable().default(null) },
      cost_microdollars: z.int().positive().nullable().default(null),
    }),
    /** Whether the tree was not shared before. */
    result: z.strictObject({ shared: z.boolean() }),
  },
  'sharing.task_take': {
    description: 'Waits for a task that a worker may run and takes it; null when there was none in that time.',
    params: z.strictObject({ ...onRemote, token: z.uuid(), worker: WorkerFacts, wait_ms: waitMs }),
    result: z.strictObject({ task: Task.nullable() }),
    callerGone: 'cancel',
  },
  'sharing.task_hold': {
    description:
      'Keeps a taken task its worker’s while a turn runs for it, and sends its steps. It answers when the task is to end, or is another’s; then, and when its caller has gone, the turn is stopped.',
    params: z.strictObject({ ...held, tree: TreeId, turn: TurnId }),
    result: z.strictObject({ why: z.enum(['stop', 'lost']) }),
    callerGone: 'cancel',
  },
  'sharing.task_end': {
    description:
      'Sends what a task has brought and ends it; `lost`, `retry` and `back` leave it to the next worker, where that may still be.',
    params: z.strictObject({
      ...{ ...held, tree: TreeId, how: z.enum(['done', 'failed', 'stopped', 'lost', 'retry', 'back']) },
      ...{ reason: z.string().max(2_000).nullable(), tip: NodeId.nullable(), price_microdollars: count },
    }),
    /** Null when it is another's. */
    result: z.strictObject({ state: TaskState.nullable() }),
  },
  'sharing.task_wait': {
    description: 'Waits until a task is no longer as it was seen, and tells how it is.',
    params: z.strictObject({
      ...{ ...onRemote, task: z.uuid(), wait_ms: waitMs },
      seen: z.strictObject({ state: TaskState, tip: NodeId.nullable() }).nullable().default(null),
    }),
    result: z.strictObject({ task: Task }),
    callerGone: 'cancel',
  },
  'sharing.task_stop': {
    description: 'Ends a task: at once where nobody runs it, else its worker is told.',
    params: z.strictObject({ ...onRemote, task: z.uuid() }),
    result: z.strictObject({ state: TaskState }),
  },
  'sharing.task_list': {
    description: 'Lists the workers of a remote, and its tasks: those that have not ended, and the newest others.',
    params: z.strictObject({ ...onRemote, limit: limitUpTo(1_000, 100) }),
    result: z.strictObject({ workers: z.array(ListedWorker), tasks: z.array(ListedTask) }),
  },
});
