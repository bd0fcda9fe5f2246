import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { refuseWholeHome } from '../../hub/config/home_as_project.js';
import type { Block, NodeId, TreeId } from '../../hub/protocol/node.js';
import { command, type Input, NODE_WORDS, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { messageBlocks } from '../input/message_blocks.js';
import { THERE, treeToWorkIn } from '../input/other_folder.js';
import { newNodeId, newTreeId, newTurnId } from '../position/ids.js';
import { positionOf } from '../position/position.js';
import { rootOf } from '../position/reference.js';
import { remember } from '../position/remember.js';
import { askUntilAnswered } from '../turn/answer_questions.js';
import { agentChoice, findAgent, requireAsking } from '../turn/outside_agent.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { reportEnd, runTurn } from '../turn/run_turn.js';
import { noteUnsandboxed, type TurnOptions } from '../turn/turn_options.js';
import { jsonLines, jsonOutcome, type TurnOutput, textOutput } from '../turn/turn_output.js';

const MINUTES_MAX = 10_080;
const MINUTE_MS = 60_000;
const LEVELS = ['minimal', 'readonly', 'ask'] as const;

export const workCommand = command({
  name: 'work',
  summary: 'Let an agent of others, such as Claude Code or Codex, work in a conversation.',
  details:
    'With a task alone it starts a conversation; with a tree it goes on where you stand. Whoever spoke last there, the agent knows what was said: it goes on in its own session where that ends here, in a copy of it up to this point, or in a new one that is told the path. It works in the sandbox: it may change the project and nothing else, but it shares its network with its commands, for it has to reach its model. `cognition agents` lists the agents.',
  arguments: [
    {
      name: 'agent',
      required: true,
      description: 'which one: claude, codex …, or a model that one carries: sonnet',
      completes: null,
    },
    { ...TREE, required: false, description: `${TREE.description}; a new one when left out` },
    { name: 'task', required: false, description: 'what it is to do, or - for standard input', completes: null },
  ],
  flags: [
    { name: 'jsonl', short: null, description: 'print each event as one line of JSON' },
    { name: 'stream', short: null, description: 'also into a pipe: write all that it says while it comes' },
    { name: 'no-sandbox', short: null, description: 'let it run as in your own shell, and change what you can change' },
    { name: 'here', short: null, description: 'also where the project is your home folder' },
    THERE,
  ],
  values: [
    { name: 'model', short: 'm', value: 'model', choices: null, description: 'the model that it is to ask' },
    { name: 'role', value: 'name', choices: null, description: 'what it is to be: reviewer, engineer …' },
    { name: 'describe', value: 'text', choices: null, description: 'a role of your own, in words' },
    {
      ...{ name: 'level', value: 'level', choices: LEVELS },
      description: 'it may change the project (minimal), only read it (readonly), or asks you before it acts (ask)',
    },
    { name: 'minutes', value: 'number', choices: null, description: 'how long it may take' },
    { name: 'at', value: 'node', choices: null, description: `go on from this node instead: ${NODE_WORDS}` },
  ],
  examples: [
    { line: 'cognition work claude "find out why the tests fail"', does: 'starts a conversation' },
    { line: 'cognition work codex @ "and repair it"', does: 'goes on in it with another agent' },
    { line: 'cognition work claude @ "go on" --level ask', does: 'is asked before it changes or runs anything' },
    { line: 'cognition work claude @ "review that" --role reviewer --level readonly', does: 'has it reviewed' },
  ],
  async run(input, context) {
    refuseInside('work');
    const client = await context.client();
    const agent = await findAgent(client, input.required('agent'));
    const grants = { network: false, unsandboxed: input.flag('no-sandbox'), whole_home: input.flag('here') };
    const level = LEVELS.find((one) => one === input.value('level')) ?? null;
    if (level === 'ask') requireAsking(agent);
    const start = await startTask(input, context, grants);
    noteUnsandboxed(context, { grants });
    const turn = newTurnId();
    await remember(context, async (session) => {
      if (start.isNew) await session.use(start.tree, context.project);
      await session.move(start.tree, start.node, turn);
    });
    const params = {
      ...{ id: turn, tree: start.tree, node: start.node, cwd: process.cwd(), grants, access: {} },
      ...{ change: level === null ? null : { level }, limits: { time_ms: timeFrom(input.value('minutes')) } },
      ...agentChoice(agent, {
        ...{ model: input.value('model') ?? agent.asks, role: input.value('role') ?? null },
        role_description: input.value('describe') ?? null,
      }),
    };
    const output = (): TurnOutput => outputFor(input, context);
    const first = await runTurn(context, params, output());
    const options = { access: {}, route: null, limits: params.limits, grants };
    const end = input.flag('jsonl') ? first : await askUntilAnswered(context, first, { options, output });
    const { outcome } = end;
    // One that waits is followed to wherever it ends.
    if (outcome !== null && outcome.state !== 'waiting')
      await remember(context, (session) => session.move(start.tree, outcome.tip));
    return reportEnd(context, end, cliCommand('work', input.required('agent'), '@', '"go on"'));
  },
});

type WorkInput = Input<
  'agent' | 'tree' | 'task',
  'jsonl' | 'stream' | 'no-sandbox' | 'here' | 'there',
  'model' | 'role' | 'describe' | 'level' | 'minutes' | 'at'
>;

/** Where the agent begins, and whether the tree was made for it. */
interface TaskStart {
  tree: TreeId;
  node: NodeId;
  isNew: boolean;
}

function outputFor(input: WorkInput, context: Context): TurnOutput {
  if (input.flag('jsonl')) return jsonLines(context);
  return context.json ? jsonOutcome(context) : textOutput(context, context.screen.isTty || input.flag('stream'));
}

function timeFrom(text: string | undefined): number | null {
  if (text === undefined) return null;
  const minutes = text.trim() === '' ? Number.NaN : Number(text);
  if (minutes > 0 && minutes <= MINUTES_MAX) return Math.ceil(minutes * MINUTE_MS);
  throw new HubError('invalid_params', `--minutes takes a number above 0, up to ${MINUTES_MAX}, not ${text}`);
}

/** Adds the task, in a new tree or at the position. */
async function startTask(input: WorkInput, context: Context, grants: TurnOptions['grants']): Promise<TaskStart> {
  const [first, second] = [input.argument('tree'), input.argument('task')];
  const task = second ?? first;
  if (task === undefined) {
    throw new HubError('invalid_params', 'work takes a task', {
      hint: [cliCommand('work', input.required('agent'), '"what it is to do"')],
    });
  }
  const blocks = await messageBlocks(task, context);
  if (second !== undefined && first !== undefined) return inTree(input, context, { reference: first, blocks });
  if (input.value('at') !== undefined) {
    throw new HubError('invalid_params', '--at needs a tree', {
      hint: [cliCommand('work', input.required('agent'), '@', '"task"', '--at', '<node>')],
    });
  }
  refuseWholeHome(context.project, grants);
  const [id, node] = [newTreeId(), newNodeId()];
  const client = await context.client();
  // Sent together they share one wait for the disk.
  await Promise.all([
    client.call('loom.tree_create', { id, project: context.project }),
    client.call('loom.node_create_text', { id: node, tree: id, parent: rootOf(id), role: 'user', blocks }),
  ]);
  context.note(`Tree: ${id}`);
  return { tree: id, node, isNew: true };
}

async function inTree(
  input: WorkInput,
  context: Context,
  { reference, blocks }: { reference: string; blocks: Block[] },
): Promise<TaskStart> {
  const tree = await treeToWorkIn(context, reference, input.flag('there'));
  const parent = await positionOf(context, tree, input.value('at'));
  const client = await context.client();
  const message = { tree: tree.id, parent, role: 'user' as const, blocks };
  const { node, branched } = await client.call('loom.node_create_text', message);
  if (branched) context.note('This is a new branch.');
  return { tree: tree.id, node: node.id, isNew: false };
}
