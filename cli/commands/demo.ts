import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { NodeId, TreeId } from '../../hub/protocol/node.js';
import type { TurnOutcome } from '../../hub/protocol/turn.js';
import { command } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { type DemoOutput, demoOutput, SILENT } from '../demo/demo_output.js';
import { demoProject } from '../demo/demo_project.js';
import { EXIT } from '../output/failure.js';
import { writeLines } from '../output/sink.js';
import { newNodeId, newTreeId, newTurnId } from '../position/ids.js';
import { rootOf } from '../position/reference.js';
import { remember } from '../position/remember.js';
import { readSkeleton } from '../position/skeleton.js';
import { createLaneReader, raceIn } from '../race/board.js';
import { showBoard } from '../race/board_screen.js';
import { runRace } from '../race/run_race.js';
import type { Look } from '../render/look/look.js';
import { renderDemoEnd } from '../render/reports/demo_end.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { drawTree } from '../render/tree/draw_tree.js';
import { outlineOf } from '../render/tree/outline.js';
import { modelEnvironment } from '../turn/model_access.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { type AwaitedTurn, reportEnd, runTurn } from '../turn/run_turn.js';
import type { TurnOptions } from '../turn/turn_options.js';

const MODEL = 'demo/demo';
const LIST = 'list the python files in src/';
const WRITE = 'write a program';
const CHANGE = 'change the program';
const COUNT = 'how many lines has hello-demo.sh?';
// Without a terminal the width would be unlimited.
const COLUMNS_MAX = 100;

export const demoCommand = command({
  name: 'demo',
  summary: 'Watch a race of two models, a fork, and files that follow. Needs no key and no network.',
  details:
    'A demo model, which is no AI but a few rules, works in a small project beside the home folder; its commands really run, in the sandbox. Two of it race, the one whose program runs is taken, and a fork brings a file back as it was. The conversation stays for you to explore; it becomes the current one when there is none.',
  flags: [{ name: 'no-sandbox', short: null, description: 'UNSANDBOXED: its commands run as in your own shell' }],
  examples: [{ line: 'cognition demo', does: 'takes about ten seconds' }],
  async run(input, context) {
    refuseInside('demo');
    const look = await context.look([]);
    // Connects first, so that a home that cannot be made is reported before the demo's own folder.
    await context.client();
    const page = { ...look, width: Math.min(look.width, COLUMNS_MAX) };
    const output = context.json ? SILENT : demoOutput(context, page);
    const demo = { context, output, unsandboxed: input.flag('no-sandbox'), project: demoProject(context.paths.home) };
    if (demo.unsandboxed) context.note('UNSANDBOXED: its commands run as in your own shell.');
    await output.tell(
      'This is a demo. Its model is no AI, only a few rules:\nit needs no key, and nothing leaves this machine.',
    );
    const conversation = await converse(demo);
    if ('code' in conversation) return conversation.code;
    if (context.json) await context.printJson({ ...conversation, project: demo.project });
    else await drawEnd(demo, conversation, page);
    return EXIT.ok;
  },
});

interface Demo {
  context: Context;
  output: DemoOutput;
  unsandboxed: boolean;
  project: string;
}

/** A conversation with two branches. */
interface Conversation {
  tree: TreeId;
  position: NodeId;
  tips: [NodeId, NodeId];
}

/** Lists files, races, changes a file, and goes back before that. A turn that ends early ends the demo with its exit code. */
async function converse(demo: Demo): Promise<Conversation | { code: number }> {
  const { output, context } = demo;
  const tree = newTreeId();
  const listed = await ask(demo, { tree, parent: rootOf(tree), question: LIST });
  if ('code' in listed) return listed;
  const place = { tree, parent: listed.tip, question: WRITE };
  const written = demo.unsandboxed ? await ask(demo, place) : await race(demo, place);
  if ('code' in written) return written;
  const changed = await ask(demo, { tree, parent: written.tip, question: CHANGE });
  if ('code' in changed) return changed;
  await output.tell('\nNow back before that change, to say something else: that is a fork, and the files come along.');
  const client = await context.client();
  const move = { project: demo.project, tree, node: written.tip, from: changed.tip, changes: 'carry' as const };
  await client.call('files.move', move);
  const counted = await ask(demo, { tree, parent: written.tip, question: COUNT });
  if ('code' in counted) return counted;
  return { tree, position: counted.tip, tips: [changed.tip, counted.tip] };
}

const CHECK = 'sh hello-demo.sh';

/** Two of the model answer at once, each in a copy of the folder; what the good one has made is taken. */
async function race(demo: Demo, { tree, parent, question }: Question): Promise<{ tip: NodeId } | { code: number }> {
  const { context, output, project } = demo;
  await output.tell(`\nNow two models race, each in a copy of the folder. \`${CHECK}\` tells whose program runs.`);
  await output.ask(question);
  const client = await context.client();
  const node = newNodeId();
  const blocks = [{ type: 'text' as const, text: question }];
  await client.call('loom.node_create_text', { id: node, tree, parent, role: 'user', blocks });
  const lanes = ['demo/hasty', 'demo/careful'].map((label) => ({ label, change: { model: label }, agent: null }));
  const readLanes = createLaneReader(client);
  const board = showBoard(context, async () => readLanes(await raceIn(client, tree, node)));
  const interrupted = await runRace(
    context,
    { tree: { id: tree }, node, project, check: CHECK, lanes, options: OPTIONS },
    board,
  );
  const [, good] = await board.end();
  if (interrupted !== null || good === undefined) {
    context.note(['Interrupted. What there is so far: ', cliCommand('show', shortId(tree))]);
    return { code: interrupted ?? EXIT.failure };
  }
  const { tip, turn } = good;
  await client.call('files.take', { of: { kind: 'copy', turn }, tree, node: tip });
  await remember(context, (session) => session.move(tree, tip));
  await output.tell('\nThe second one is taken into the folder. The other stays as a branch.');
  return { tip };
}

const OPTIONS: TurnOptions = {
  ...{ access: {}, route: null, change: null, usual_model: null, fallback: null, usual_thinking: {} },
  ...{ compact: 'auto', cache: 'auto', window: null, limits: { iterations: null, cost_microdollars: null } },
  ...{ grants: { network: false, unsandboxed: false, whole_home: false }, transcript: null },
};

async function begin({ context, project }: Demo, tree: TreeId): Promise<void> {
  await (await context.client()).call('loom.tree_create', { id: tree, project });
  if (context.session.read().current === null) await remember(context, (session) => session.use(tree, project));
}

interface Question {
  tree: TreeId;
  parent: NodeId;
  question: string;
}

async function ask(demo: Demo, { tree, parent, question }: Question): Promise<TurnOutcome | { code: number }> {
  const { context, output, project: cwd } = demo;
  await output.ask(question);
  // Created only now: who leaves before the first question leaves no conversation behind.
  if (parent === rootOf(tree)) await begin(demo, tree);
  const client = await context.client();
  const node = newNodeId();
  const blocks = [{ type: 'text' as const, text: question }];
  await client.call('loom.node_create_text', { id: node, tree, parent, role: 'user', blocks });
  const grants = { network: false, unsandboxed: demo.unsandboxed };
  const base = { id: newTurnId(), tree, node, cwd, environment: modelEnvironment() };
  const end = await runTurn(context, { ...base, access: {}, change: { model: MODEL }, grants }, output.turn());
  await remember(context, (session) => session.move(tree, end.outcome?.tip ?? node));
  return outcomeOf(context, end, tree);
}

/** The outcome of a finished turn; of any other the exit code, after a note on how to see the tree. */
async function outcomeOf(context: Context, end: AwaitedTurn, tree: TreeId): Promise<TurnOutcome | { code: number }> {
  const { outcome, interrupted } = end;
  if (interrupted !== null) {
    context.note(['Interrupted. What there is so far: ', cliCommand('show', shortId(tree))]);
    return { code: interrupted };
  }
  if (outcome?.state === 'waiting') {
    // The question is whether a command may run without a sandbox; the demo fails with a hint instead of asking it.
    await (await context.client()).call('agent.stop', { turn: outcome.turn });
    throw new HubError('approval_needed', 'no sandbox works here, so the demo cannot run its commands', {
      hint: ['to run them as in your own shell: ', cliCommand('demo', '--no-sandbox')],
    });
  }
  const code = reportEnd(context, end);
  return outcome === null || code !== EXIT.ok ? { code } : outcome;
}

async function drawEnd({ context, project }: Demo, { tree, position, tips }: Conversation, look: Look): Promise<void> {
  const client = await context.client();
  const outline = outlineOf(await readSkeleton(client, await client.call('loom.tree_get', { tree }), false));
  await context.out.write('\nThis is what the conversation has become, a tree:\n\n');
  await writeLines(context.out, drawTree({ outline, position, nested: false, ids: false, marks: new Map() }, look));
  await context.out.write(`\n${renderDemoEnd({ tree, tips, project }, look)}`);
}
