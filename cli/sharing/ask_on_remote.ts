import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Block, NodeId, TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { interruptible } from '../command_line/interruption.js';
import { EXIT } from '../output/failure.js';
import { newNodeId, newTreeId } from '../position/ids.js';
import { positionOf } from '../position/position.js';
import { findTree, rootOf } from '../position/reference.js';
import { remember } from '../position/remember.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { readLimits } from '../turn/turn_options.js';
import { followTask } from './follow_task.js';
import { chosenRemote } from './remotes.js';
import { projectName, WORKER_LEVELS, type WorkerLevel } from './worker_plan.js';

export const DETACH = { name: 'detach', short: null, description: 'with --on: do not wait for it' } as const;

export const ON_VALUES = [
  { name: 'on', value: 'remote', choices: null, description: 'have a worker of this remote answer, not this machine' },
  {
    ...{ name: 'project', value: 'name', choices: null },
    description: 'with --on: what its workers call the project; the folder’s name when left out',
  },
] as const;

/** What a person may say of a turn elsewhere; all else is for who runs the worker. */
const TAKEN = [
  'on',
  'project',
  'detach',
  'model',
  'level',
  'tool-level',
  'max-cost',
  'at',
  'stream',
  'no-stream',
  'task',
  'with',
];

export interface OnInput {
  flag(name: string): boolean;
  value(name: string): string | undefined;
}

/** What is asked of the workers of a remote. */
export interface RemoteQuestion {
  input: OnInput;
  /** The options of the command. */
  options: readonly { name: string }[];
  /** The tree that is gone on with, as the person names it; null for a new one. */
  reference: string | null;
  blocks: Block[];
  /** Whether the person stands there from then on. */
  moves: boolean;
}

/** Refuses what says something of --on without it. */
export function refuseWithoutOn(input: OnInput): void {
  const lone = [
    ...(input.flag('detach') ? ['detach'] : []),
    ...(input.value('project') === undefined ? [] : ['project']),
  ];
  if (lone[0] === undefined || input.value('on') !== undefined) return;
  throw new HubError('invalid_params', `--${lone[0]} goes with --on`, { hint: 'name a remote: --on team' });
}

/** Has a worker of a remote answer a message, and shows what comes. */
export async function askOnRemote(context: Context, question: RemoteQuestion): Promise<number> {
  const { input } = question;
  const wanted = wantedOf(question);
  const remote = chosenRemote(context, input.value('on'));
  const project = workersProject(context, input);
  const { tree, node } = await addMessage(context, question);
  const client = await context.client();
  const task = randomUUID();
  const { shared } = await client.call('sharing.task_create', { remote, id: task, tree, node, project, ...wanted });
  if (shared)
    context.note(`The conversation is shared over ${remote} from now on: who may read there can read all of it.`);
  if (input.flag('detach')) {
    if (context.json) await context.printJson({ task, tree, node });
    else await context.out.write(`${task}\n`);
    context.note([
      'Its state: ',
      cliCommand('workers'),
      '. Its steps: ',
      cliCommand('sync', remote),
      ' and ',
      cliCommand('show', shortId(tree)),
    ]);
    return EXIT.ok;
  }
  const stop = (): void => detach(client.call('sharing.task_stop', { remote, task }), () => undefined);
  const { result, interrupted } = await interruptible(() => followTask(context, { remote, task, tree, node }), stop);
  if (question.moves) await remember(context, (session) => session.move(tree, result.tip));
  return interrupted ?? result.code;
}

/** What workers call the project. */
export function workersProject(context: Context, input: OnInput): string {
  return projectName(input.value('project') ?? basename(context.project));
}

/** What the task is to be at most. */
export function wantedOf({ input, options }: RemoteQuestion): {
  model: string | null;
  level: WorkerLevel | null;
  cost_microdollars: number | null;
} {
  const other = options.find(({ name }) => !TAKEN.includes(name) && isGiven(input, name));
  if (other !== undefined) {
    throw new HubError('invalid_params', `--${other.name} does not go with --on`, {
      hint: 'who runs the worker says that; a task has --model, --level and --max-cost',
    });
  }
  const named = input.value('level') ?? input.value('tool-level') ?? null;
  const level = WORKER_LEVELS.find((one) => one === named) ?? null;
  if (named !== null && level === null) {
    throw new HubError('invalid_params', `a worker has nobody to ask, as level ${named} does`, {
      hint: 'let it look alone: --level readonly',
    });
  }
  const { cost_microdollars } = readLimits({ ...NO_INPUT, value: (name) => input.value(name) });
  return { model: input.value('model') ?? null, level, cost_microdollars };
}

const NO_INPUT = { argument: () => undefined, required: () => '', flag: () => false, rest: () => [] };

/** Options with a value have none as flags, and the other way round. */
function isGiven(input: OnInput, name: string): boolean {
  return input.flag(name) || input.value(name) !== undefined;
}

/** Adds what workers are to answer. */
export async function addMessage(
  context: Context,
  { input, reference, blocks, moves }: RemoteQuestion,
): Promise<{ tree: TreeId; node: NodeId }> {
  const client = await context.client();
  const node = newNodeId();
  const found = reference === null ? null : await findTree(context, reference, 'change');
  const tree = found?.id ?? newTreeId();
  const at = input.value('at');
  if (found === null && at !== undefined) throw new HubError('invalid_params', '--at needs a tree');
  if (found === null) await client.call('loom.tree_create', { id: tree, project: context.project });
  const parent = found === null ? rootOf(tree) : await positionOf(context, found, at);
  await client.call('loom.node_create_text', { id: node, tree, parent, role: 'user', blocks });
  if (found === null) context.note(`Tree: ${tree}`);
  if (!moves) return { tree, node };
  await remember(context, async (session) => {
    if (found === null) await session.use(tree, context.project);
    await session.move(tree, node);
  });
  return { tree, node };
}
