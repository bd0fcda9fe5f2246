import { setImmediate as nextTurn } from 'node:timers/promises';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { KEY_VARIABLES } from '../../hub/base/provider_records.js';
import { refuseWholeHome } from '../../hub/config/home_as_project.js';
import type { Block, NodeId, TreeId, TurnId } from '../../hub/protocol/node.js';
import { command, type Input, NODE_WORDS, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { messageBlocks } from '../input/message_blocks.js';
import { THERE, treeToWorkIn } from '../input/other_folder.js';
import { newNodeId, newTreeId, newTurnId } from '../position/ids.js';
import { positionOf } from '../position/position.js';
import { rootOf } from '../position/reference.js';
import { remember } from '../position/remember.js';
import { makeOwnCopy } from '../race/own_copy.js';
import { askOnRemote, DETACH, ON_VALUES, refuseWithoutOn } from '../sharing/ask_on_remote.js';
import { type AwaitRemotes, DURABLE, readDurable } from '../sharing/durable_remote.js';
import { askUntilAnswered } from '../turn/answer_questions.js';
import { estimateAt, withEstimateNote } from '../turn/estimate_request.js';
import { modelEnvironment } from '../turn/model_access.js';
import { noteJobs } from '../turn/note_jobs.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { type AwaitedTurn, checkTurn, followTurn, reportEnd, runTurn } from '../turn/run_turn.js';
import { askAboutSettings } from '../turn/settings_from_file.js';
import { FILES_FLAGS, takeFilesAlong } from '../turn/take_files_along.js';
import { noteUnsandboxed, readTurnOptions, TURN_FLAGS, TURN_VALUES, type TurnOptions } from '../turn/turn_options.js';
import { jsonLines, jsonOutcome, type TurnOutput, textOutput } from '../turn/turn_output.js';
import { unfinishedTurn } from '../turn/unfinished_turn.js';

export const askCommand = command({
  name: 'ask',
  summary: 'Ask a model, which works with its tools until it has answered.',
  details: `With a message alone it starts a conversation, whose id is told on stderr; with a tree it goes on where you stand. The answer alone goes to stdout, into a pipe when it is whole; what the model does is told on stderr. Its commands run in a sandbox: they may change the project and nothing else, without the network. Keys come from the environment, such as ${KEY_VARIABLES.join(' and ')}, or from commands that the configuration names. They are kept nowhere. Ctrl-C stops it and keeps what was said. What is piped in is added to the message. An image that the message names as @file.png (jpg, gif and webp, too; quotes around a name with blanks: @"my shot.png") is shown to the model; other files that it names it can read itself.`,
  arguments: [
    { ...TREE, required: false, description: `${TREE.description}; a new one when left out` },
    { name: 'message', required: false, description: 'the message, or - for standard input', completes: null },
  ],
  flags: [
    { name: 'continue', short: null, description: 'finish what was interrupted where you stand' },
    {
      name: 'reload',
      short: null,
      description: 'read the instructions and skills of the project anew, for what follows',
    },
    { name: 'stream', short: null, description: 'also into a pipe: write all that it says while it comes' },
    ...FILES_FLAGS,
    { name: 'own', short: null, description: 'it works in a copy of the project: see pick' },
    THERE,
    ...TURN_FLAGS,
    DETACH,
  ],
  values: [
    ...TURN_VALUES,
    ...ON_VALUES,
    DURABLE,
    { name: 'at', value: 'node', choices: null, description: `go on from this node instead: ${NODE_WORDS}` },
  ],
  examples: [
    { line: 'cognition ask "what does this project do?"', does: 'starts a conversation' },
    { line: 'cognition ask @ "and how is it tested?"', does: 'goes on in the current one' },
    { line: 'cognition ask "what is wrong in @shot.png?"', does: 'shows it an image' },
    { line: 'git diff | cognition ask "review this" --level readonly', does: 'asks about what another program prints' },
    { line: 'cognition ask "fix the flaky test" --on team', does: 'has a worker of that remote do it' },
    { line: 'cognition ask --continue', does: 'finishes an answer that was interrupted' },
    { line: 'cognition ask "list the files" --model demo', does: 'tries it without a key: no AI, only a few rules' },
  ],
  async run(input, context) {
    refuseInside('ask');
    refuseWithoutOn(input);
    if (input.value('on') !== undefined) return askElsewhere(input, context);
    const options = withReload(input, await readTurnOptions(input, context));
    const output = outputFor(input, context);
    const start = input.flag('continue')
      ? await findInterrupted(input, { context, options })
      : await startWithMessage(input, { context, options });
    noteUnsandboxed(context, options);
    const first = await waitFor(start, { context, options, output, isOwn: input.flag('own') });
    const { access, route, limits, grants } = options;
    const answerOptions = { access, route, limits, grants };
    const again = { options: answerOptions, output: () => outputFor(input, context) };
    const end = input.flag('jsonl') ? first : await askUntilAnswered(context, first, again);
    const { outcome } = end;
    if (outcome !== null) {
      await remember(context, (session) => session.move(start.tree, outcome.tip));
      await noteJobs(context, start.tree);
      await start.awaitRemotes(outcome.tip);
    }
    return reportEnd(context, end);
  },
});

type AskInput = Input<
  'tree' | 'message',
  | 'continue'
  | 'reload'
  | 'stream'
  | 'there'
  | 'own'
  | (typeof FILES_FLAGS)[number]['name']
  | 'detach'
  | (typeof TURN_FLAGS)[number]['name'],
  'at' | 'durable' | (typeof ON_VALUES)[number]['name'] | (typeof TURN_VALUES)[number]['name']
>;

/** The context and the options of the turn. */
interface TurnSetup {
  context: Context;
  options: TurnOptions;
}

/** Where a turn begins, or which turn already runs. */
interface TurnStart {
  tree: TreeId;
  node: NodeId;
  running: TurnId | null;
  /** Whether the tree was made for it. */
  isNew: boolean;
  awaitRemotes: AwaitRemotes;
}

/** Has a worker of a remote answer. */
async function askElsewhere(input: AskInput, context: Context): Promise<number> {
  const [first, second] = [input.argument('tree'), input.argument('message')];
  const blocks = await messageBlocks(messageIn(second ?? first), context);
  const reference = second === undefined ? null : (first ?? '@');
  return askOnRemote(context, {
    input,
    options: [...askCommand.flags, ...askCommand.values],
    reference,
    blocks,
    moves: true,
  });
}

function messageIn(message: string | undefined): string {
  if (message !== undefined) return message;
  throw new HubError('invalid_params', 'ask takes a message', {
    hint: [cliCommand('ask', '"message"'), ', or ', cliCommand('ask', '@', '"message"'), ' to go on'],
  });
}

function withReload(input: AskInput, options: TurnOptions): TurnOptions {
  return input.flag('reload') ? { ...options, change: { ...options.change, reload: true } } : options;
}

function outputFor(input: AskInput, context: Context): TurnOutput {
  if (input.flag('jsonl')) return jsonLines(context);
  return context.json ? jsonOutcome(context) : textOutput(context, context.screen.isTty || input.flag('stream'));
}

/** Adds the message, in a new tree or at the position. Nothing is added when no model could answer. */
async function startWithMessage(input: AskInput, setup: TurnSetup): Promise<TurnStart> {
  const { context, options } = setup;
  const [first, second] = [input.argument('tree'), input.argument('message')];
  const blocks = await messageBlocks(messageIn(second ?? first), context);
  const client = await context.client();
  const { access, change, usual_model } = options;
  if (second === undefined || first === undefined) {
    if (input.value('at') !== undefined) {
      throw new HubError('invalid_params', '--at needs a tree', {
        hint: [cliCommand('ask', '@', '"message"', '--at', '<node>')],
      });
    }
    refuseWholeHome(context.project, options.grants);
    const awaitRemotes = await readDurable(context, input.value('durable'), null);
    await checkTurn(context, { access, change, usual_model });
    return { ...(await inNewTree(context, blocks)), awaitRemotes };
  }
  const tree = await treeToWorkIn(context, first, input.flag('there'));
  const parent = await positionOf(context, tree, input.value('at'));
  const awaitRemotes = await readDurable(context, input.value('durable'), tree.id);
  await askAboutSettings(context, parent);
  await checkTurn(context, { access, change, usual_model, node: parent });
  await takeFilesAlong(context, { tree, node: parent }, input);
  const { node, branched } = await client.call('loom.node_create_text', {
    tree: tree.id,
    parent,
    role: 'user',
    blocks,
  });
  if (branched) context.note('This is a new branch.');
  return { tree: tree.id, node: node.id, running: null, isNew: false, awaitRemotes };
}

async function inNewTree(context: Context, blocks: Block[]): Promise<Omit<TurnStart, 'awaitRemotes'>> {
  const client = await context.client();
  const id = newTreeId();
  const node = newNodeId();
  // Sent together they share one wait for the disk.
  await Promise.all([
    client.call('loom.tree_create', { id, project: context.project }),
    client.call('loom.node_create_text', { id: node, tree: id, parent: rootOf(id), role: 'user', blocks }),
  ]);
  context.note(`Tree: ${id}`);
  return { tree: id, node, running: null, isNew: true };
}

/** Finds the interrupted turn to continue. */
async function findInterrupted(input: AskInput, { context }: TurnSetup): Promise<TurnStart> {
  if (input.argument('message') !== undefined) {
    throw new HubError('invalid_params', '--continue takes no message', {
      hint: ['it only finishes what was interrupted; to say something: ', cliCommand('ask', '@', '"message"')],
    });
  }
  const tree = await treeToWorkIn(context, input.argument('tree') ?? '@', input.flag('there'));
  const position = await positionOf(context, tree, input.value('at'));
  const awaitRemotes = await readDurable(context, input.value('durable'), tree.id);
  await askAboutSettings(context, position);
  return { tree: tree.id, isNew: false, awaitRemotes, ...(await unfinishedTurn(context, tree, position)) };
}

async function waitFor(
  start: TurnStart,
  about: TurnSetup & { output: TurnOutput; isOwn: boolean },
): Promise<AwaitedTurn> {
  const { context, options, output, isOwn } = about;
  const { tree, node, running } = start;
  if (running !== null) return followTurn(context, running, output);
  const base = { id: newTurnId(), tree, node, cwd: process.cwd(), environment: modelEnvironment() };
  const params = { ...base, ...options };
  if (isOwn) await makeOwnCopy(context, { tree, node, turn: base.id });
  const showsEstimate = context.screen.isTty && !context.json && !start.isNew;
  const display = showsEstimate ? withEstimateNote(context, output, () => estimateAt(context, node, options)) : output;
  const [end] = await Promise.all([runTurn(context, params, display), rememberTurn(context, start, base.id)]);
  return end;
}

/** Saves the position after the request has been sent: writing the file takes as long as sending. */
async function rememberTurn(context: Context, { tree, node, isNew }: TurnStart, turn: TurnId): Promise<void> {
  await nextTurn();
  await remember(context, async (session) => {
    if (isNew) await session.use(tree, context.project);
    await session.move(tree, node, turn);
  });
}
