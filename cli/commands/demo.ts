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
import type { Look } from '../render/look/look.js';
import { renderDemoEnd } from '../render/reports/demo_end.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { drawTree } from '../render/tree/draw_tree.js';
import { outlineOf } from '../render/tree/outline.js';
import { modelEnvironment } from '../turn/model_access.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { type AwaitedTurn, reportEnd, runTurn } from '../turn/run_turn.js';

const MODEL = 'demo/demo';
const LIST = 'list the python files in src/';
const SHOW = 'show me the contents of main.py';
const OTHERWISE = 'actually, show me utils.py instead';
// Without a terminal the width would be unlimited.
const COLUMNS_MAX = 100;

export const demoCommand = command({
  name: 'demo',
  summary: 'Watch a short conversation become a tree. Needs no key and no network.',
  details:
    'A demo model, which is no AI but a few rules, is asked about a small project beside the home folder; its commands really run, in the sandbox. Then it goes back, asks otherwise, and draws the tree. The conversation stays for you to explore; it becomes the current one when there is none.',
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

/** Asks the three questions. A turn that ends early ends the demo with its exit code. */
async function converse(demo: Demo): Promise<Conversation | { code: number }> {
  const { output } = demo;
  const tree = newTreeId();
  const listTurn = await ask(demo, { tree, parent: rootOf(tree), question: LIST });
  if ('code' in listTurn) return listTurn;
  const showTurn = await ask(demo, { tree, parent: listTurn.tip, question: SHOW });
  if ('code' in showTurn) return showTurn;
  await output.tell('\nNow back to the list of files, to ask something else there: that is a fork.');
  const otherTurn = await ask(demo, { tree, parent: listTurn.tip, question: OTHERWISE });
  if ('code' in otherTurn) return otherTurn;
  return { tree, position: otherTurn.tip, tips: [showTurn.tip, otherTurn.tip] };
}

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
