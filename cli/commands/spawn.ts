import { HubError } from '../../hub/base/error.js';
import { cliCommand, cliOption } from '../../hub/base/hint.js';
import { findProvider } from '../../hub/base/provider_records.js';
import { refuseWholeHome } from '../../hub/config/home_as_project.js';
import type { Block, NodeId, Tree, TreeId } from '../../hub/protocol/node.js';
import { command, type Input, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { messageBlocks } from '../input/message_blocks.js';
import { THERE, treeToWorkIn } from '../input/other_folder.js';
import { isInputPiped } from '../input/piped_input.js';
import { newNodeId, newTreeId, newTurnId } from '../position/ids.js';
import { positionOf } from '../position/position.js';
import { rootOf } from '../position/reference.js';
import { makeOwnCopy } from '../race/own_copy.js';
import { askOnRemote, DETACH, ON_VALUES, refuseWithoutOn } from '../sharing/ask_on_remote.js';
import { modelEnvironment } from '../turn/model_access.js';
import { type AgentChoice, agentChoice, findAgent } from '../turn/outside_agent.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { checkTurn, reportEnd, runTurn } from '../turn/run_turn.js';
import { noteUnsandboxed, readTurnOptions, TURN_FLAGS, TURN_VALUES, type TurnOptions } from '../turn/turn_options.js';
import { answerOnly, jsonLines, jsonOutcome, type TurnOutput, textOutput } from '../turn/turn_output.js';

export const spawnCommand = command({
  name: 'spawn',
  summary: 'Give a model a task, in a conversation of its own.',
  details:
    'For scripts: unlike ask it always starts a new conversation, and you stay where you stand. What the model says goes to stdout while it comes, also into a pipe, or with --no-stream the answer alone when it is whole; the id of the conversation and what the model does are told on stderr. With --parent-session the conversation belongs to another, as if a model there had started it: then it can start none itself. What is piped in is added to the task.',
  flags: [
    { name: 'stream', short: null, description: 'show the answer while it comes, and what the model does: the usual' },
    {
      name: 'no-stream',
      short: null,
      description: 'print the answer when it is whole, and do not tell what the model does',
    },
    { name: 'own', short: null, description: 'it works in a copy of the project: see pick' },
    THERE,
    ...TURN_FLAGS,
    DETACH,
  ],
  values: [
    {
      name: 'task',
      short: 't',
      value: 'text',
      choices: null,
      description: 'what is to be done, or - for standard input',
    },
    ...TURN_VALUES,
    ...ON_VALUES,
    {
      name: 'agent',
      value: 'name',
      choices: null,
      description: 'an outside agent instead of a model: claude, codex …, or a model that one carries',
    },
    { name: 'role', value: 'name', choices: null, description: 'what an agent is to be: reviewer, engineer …' },
    { name: 'parent-session', value: 'tree', choices: null, description: `whose it is: ${TREE.description}` },
  ],
  examples: [
    { line: 'cognition spawn -t "count the lines of code" -m demo', does: 'does a task in a conversation of its own' },
    { line: 'git diff | cognition spawn -t "review this" --no-stream > review.md', does: 'works inside a script' },
    { line: 'cognition spawn -t "try it another way" --parent-session @', does: 'begins a sub-session of this one' },
  ],
  async run(input, context) {
    refuseInside('spawn');
    refuseWithoutOn(input);
    if (input.value('on') !== undefined) return spawnElsewhere(input, context);
    const agent = await agentOf(input, context);
    const options = await readTurnOptions(agent === null ? input : withoutModel(input), context);
    const task = input.value('task') ?? taskFromPipe();
    const parent = await parentOf(input, { context, options });
    const blocks = await messageBlocks(task, context);
    const start = await startTask({ context, options, agent }, parent, blocks);
    noteUnsandboxed(context, options);
    const base = { id: newTurnId(), ...start, cwd: process.cwd(), environment: modelEnvironment() };
    if (input.flag('own')) await makeOwnCopy(context, { ...start, turn: base.id });
    const end = await runTurn(context, { ...base, ...options, ...agent }, outputFor(input, context));
    return reportEnd(context, end, cliCommand('ask', start.tree, '--continue'));
  },
});

type SpawnInput = Input<
  never,
  'stream' | 'no-stream' | 'own' | 'there' | 'detach' | (typeof TURN_FLAGS)[number]['name'],
  | (typeof ON_VALUES)[number]['name']
  | 'task'
  | 'agent'
  | 'role'
  | 'parent-session'
  | (typeof TURN_VALUES)[number]['name']
>;

/** Has a worker of a remote do it. */
async function spawnElsewhere(input: SpawnInput, context: Context): Promise<number> {
  const blocks = await messageBlocks(input.value('task') ?? taskFromPipe(), context);
  const options = [...spawnCommand.flags, ...spawnCommand.values];
  return askOnRemote(context, { input, options, reference: null, blocks, moves: false });
}

interface SpawnSetup {
  context: Context;
  options: TurnOptions;
  /** Null for a model. */
  agent: AgentChoice | null;
}

/** The agent that --agent names, or --provider where no provider is called so; null for a model of ours. */
async function agentOf(input: SpawnInput, context: Context): Promise<AgentChoice | null> {
  const provider = input.value('provider');
  const name = input.value('agent') ?? (provider === undefined ? null : await agentCalled(provider, context));
  const role = input.value('role') ?? null;
  if (name !== null) {
    const agent = await findAgent(await context.client(), name);
    return agentChoice(agent, { role, model: input.value('model') ?? agent.asks });
  }
  if (role === null) return null;
  throw new HubError('invalid_params', '--role is for an outside agent', {
    hint: ['name one: ', cliOption('agent', 'claude')],
  });
}

async function agentCalled(provider: string, context: Context): Promise<string | null> {
  if (findProvider(provider) !== null || context.preferences.servers.has(provider)) return null;
  const choice = await (await context.client()).call('outside.choose_agent', { name: provider });
  return choice.kind === 'carried' && choice.agent === provider ? provider : null;
}

/** The options of a turn in which no model of ours answers. */
function withoutModel(input: SpawnInput): SpawnInput {
  return { ...input, value: (name) => (name === 'model' || name === 'provider' ? undefined : input.value(name)) };
}

/** Without --task the piped input is the task. */
function taskFromPipe(): string {
  if (isInputPiped()) return '-';
  throw new HubError('invalid_params', 'spawn takes a task', {
    hint: [cliCommand('spawn', '--task', '"what is to be done"')],
  });
}

function outputFor(input: SpawnInput, context: Context): TurnOutput {
  if (input.flag('jsonl')) return jsonLines(context);
  if (context.json) return jsonOutcome(context);
  return input.flag('no-stream') ? answerOnly(context) : textOutput(context, true);
}

/** The owner of the sub-session, and the project that it works in. */
interface Parent {
  project: string;
  owner: NonNullable<Tree['owner']>;
}

async function parentOf(input: SpawnInput, { context, options }: Omit<SpawnSetup, 'agent'>): Promise<Parent | null> {
  const reference = input.value('parent-session');
  if (reference === undefined) return null;
  const tree = await treeToWorkIn(context, reference, input.flag('there'));
  if (tree.owner !== null || options.change?.level === 'orchestrator') {
    throw new HubError('invalid_params', 'a sub-session cannot start sub-sessions of its own', {
      hint: tree.owner === null ? 'leave out --tool-level' : `begin it below the tree that owns it: ${tree.owner.tree}`,
    });
  }
  const node = await positionOf(context, tree, undefined);
  await (await context.client()).call('loom.node_check', { tree: tree.id, node });
  return { project: tree.project ?? context.project, owner: { tree: tree.id, node } };
}

/** Makes the tree with the task in it. Nothing is made when no model could answer. */
async function startTask(
  { context, options, agent }: SpawnSetup,
  parent: Parent | null,
  blocks: Block[],
): Promise<{ tree: TreeId; node: NodeId }> {
  const client = await context.client();
  const { access, change, usual_model } = options;
  const { project, owner } = parent ?? { project: context.project, owner: null };
  refuseWholeHome(project, options.grants);
  if (agent === null) await checkTurn(context, { access, change, usual_model });
  const id = newTreeId();
  const node = newNodeId();
  // Sent together they share one wait for the disk.
  await Promise.all([
    client.call('loom.tree_create', { id, project, owner }),
    client.call('loom.node_create_text', { id: node, tree: id, parent: rootOf(id), role: 'user', blocks }),
  ]);
  context.note(`Tree: ${id}`);
  return { tree: id, node };
}
