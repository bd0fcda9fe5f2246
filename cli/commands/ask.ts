import { setImmediate as nextTurn } from 'node:timers/promises';
import { HubError } from '../../hub/error.js';
import type { NodeId, Tree, TreeId, TurnId } from '../../hub/protocol/node.js';
import type { Level, SettingsChange } from '../../hub/protocol/turn.js';
import { command, type Input, NODE_WORDS, TREE } from '../command.js';
import type { Context } from '../context.js';
import { newNodeId, newTreeId, newTurnId } from '../ids.js';
import { messageFrom } from '../message.js';
import { modelAccess, modelEnvironment } from '../model_access.js';
import { pipedInput } from '../piped_input.js';
import { positionOf } from '../position.js';
import { findTree, rootOf } from '../reference.js';
import { jsonLines, jsonOutcome, type TurnOutput, textOutput } from '../turn_output.js';
import { followTurn, runTurn, type TurnWaited, tellEnd } from '../turn_running.js';
import { unfinishedTurn } from '../unfinished_turn.js';

const LEVELS = ['minimal', 'orchestrator', 'readonly'] as const satisfies readonly Level[];
const LEVEL_WORDS = 'what the model may do: `readonly` only looks';
const COST_MAX = 1_000_000;

export const askCommand = command({
  name: 'ask',
  summary: 'Ask a model, which works with its tools until it has answered.',
  details:
    'With a message alone it starts a conversation, whose id is told on stderr; with a tree it goes on where you stand. The answer alone goes to stdout; what the model does is told on stderr. Its commands run in a sandbox: they may change the project and nothing else, without the network. Keys come from the environment: ANTHROPIC_API_KEY, OPENAI_API_KEY, and for servers of your own ANTHROPIC_BASE_URL, OPENAI_BASE_URL, OLLAMA_HOST. They are kept nowhere. Ctrl-C stops it and keeps what was said. What is piped in is added to the message.',
  arguments: [
    { ...TREE, required: false, description: `${TREE.description}; a new one when left out` },
    { name: 'message', required: false, description: 'the message, or - for standard input', completes: null },
  ],
  flags: [
    { name: 'continue', short: null, description: 'finish what was interrupted where you stand' },
    { name: 'jsonl', short: null, description: 'print every event as a line of JSON' },
    { name: 'net', short: null, description: 'its commands may use the network' },
    { name: 'no-sandbox', short: null, description: 'UNSANDBOXED: its commands run as in your own shell' },
  ],
  values: [
    {
      name: 'model',
      value: 'model',
      choices: null,
      description: 'provider/model, or a short name such as sonnet or demo',
    },
    { name: 'level', value: 'level', choices: LEVELS, description: LEVEL_WORDS },
    { name: 'tool-level', value: 'level', choices: LEVELS, description: 'the same as --level' },
    { name: 'max-turns', value: 'number', choices: null, description: 'end after so many answers of the model' },
    { name: 'max-cost', value: 'dollars', choices: null, description: 'end when it has cost so much' },
    { name: 'at', value: 'node', choices: null, description: `go on from this node instead: ${NODE_WORDS}` },
  ],
  examples: [
    { line: 'cognition ask "what does this project do?"', does: 'starts a conversation' },
    { line: 'cognition ask @ "and how is it tested?"', does: 'goes on in the current one' },
    { line: 'git diff | cognition ask "review this" --level readonly', does: 'asks about what another program prints' },
    { line: 'cognition ask --continue', does: 'finishes an answer that was interrupted' },
    { line: 'cognition ask "list the files" --model demo', does: 'tries it without a key: no AI, only a few rules' },
  ],
  async run(input, context) {
    const wanted = wantedFrom(input, context);
    const output = outputFor(input, context);
    const begun = input.flag('continue')
      ? await goingOn(input, { context, wanted })
      : await beginning(input, { context, wanted });
    if (wanted.grants.unsandboxed) context.note('UNSANDBOXED: its commands run as in your own shell.');
    const waited = await waitFor(begun, { context, wanted, output });
    if (waited.outcome !== null) await context.session.move(begun.tree, waited.outcome.tip);
    return tellEnd(context, waited);
  },
});

type Words = Input<
  'tree' | 'message',
  'continue' | 'jsonl' | 'net' | 'no-sandbox',
  'model' | 'level' | 'tool-level' | 'max-turns' | 'max-cost' | 'at'
>;

/** What a turn is run with, apart from where. */
interface Wanted {
  access: ReturnType<typeof modelAccess>;
  change: Partial<SettingsChange> | null;
  usual_model: string | null;
  limits: { iterations: number | null; cost_microdollars: number | null };
  grants: { network: boolean; unsandboxed: boolean };
}

/** What the command works with. */
interface Asking {
  context: Context;
  wanted: Wanted;
}

/** Where a turn begins; or which runs already. */
interface Begun {
  tree: TreeId;
  node: NodeId;
  running: TurnId | null;
  /** Whether the tree was made for it. */
  isNew: boolean;
}

function wantedFrom(input: Words, context: Context): Wanted {
  const model = input.value('model');
  const level = LEVELS.find((one) => one === (input.value('level') ?? input.value('tool-level')));
  const change = { ...(model === undefined ? {} : { model }), ...(level === undefined ? {} : { level }) };
  const dollars = numberFrom('max-cost', input.value('max-cost'), COST_MAX);
  const turns = numberFrom('max-turns', input.value('max-turns'), 10_000);
  return {
    access: modelAccess(),
    change: Object.keys(change).length === 0 ? null : change,
    usual_model: context.preferences.get('model') || null,
    limits: {
      iterations: turns === null ? null : Math.ceil(turns),
      cost_microdollars: dollars === null ? null : Math.ceil(dollars * 1_000_000),
    },
    grants: { network: input.flag('net'), unsandboxed: input.flag('no-sandbox') },
  };
}

function numberFrom(name: string, given: string | undefined, most: number): number | null {
  if (given === undefined) return null;
  const number = given.trim() === '' ? Number.NaN : Number(given);
  if (number > 0 && number <= most) return number;
  throw new HubError('invalid_params', `--${name} takes a number above 0, up to ${most}, not ${given}`);
}

function outputFor(input: Words, context: Context): TurnOutput {
  if (input.flag('jsonl')) return jsonLines(context);
  return context.json ? jsonOutcome(context) : textOutput(context);
}

/** Adds the message, in a new tree or where one stands. Nothing is added when no model could answer. */
async function beginning(input: Words, asking: Asking): Promise<Begun> {
  const { context, wanted } = asking;
  const [first, second] = [input.argument('tree'), input.argument('message')];
  const given = second ?? first;
  if (given === undefined) {
    throw new HubError('invalid_params', 'ask takes a message', {
      hint: 'cognition ask "message", or cognition ask @ "message" to go on',
    });
  }
  const text = await textFrom(given, context);
  const client = await context.client();
  const { access, change, usual_model } = wanted;
  if (second === undefined || first === undefined) {
    if (input.value('at') !== undefined) {
      throw new HubError('invalid_params', '--at needs a tree', { hint: 'cognition ask @ "message" --at <node>' });
    }
    await client.call('agent.check', { access, change, usual_model });
    return inNewTree(context, text);
  }
  const tree = await findTree(context, first, 'read');
  const parent = await positionOf(context, tree, input.value('at'));
  await client.call('agent.check', { access, change, usual_model, node: parent });
  const blocks = [{ type: 'text' as const, text }];
  const { node, branched } = await client.call('loom.node_create_text', {
    tree: tree.id,
    parent,
    role: 'user',
    blocks,
  });
  if (branched) context.note('This is a new branch.');
  return { tree: tree.id, node: node.id, running: null, isNew: false };
}

async function textFrom(given: string, context: Context): Promise<string> {
  if (given === '-') return messageFrom(given);
  const piped = await pipedInput(context);
  return messageFrom(piped.trim() === '' ? given : `${given}\n\n${piped}`);
}

async function inNewTree(context: Context, text: string): Promise<Begun> {
  const client = await context.client();
  const id = newTreeId();
  const node = newNodeId();
  const blocks = [{ type: 'text' as const, text }];
  // Sent together they share one wait for the disk.
  await Promise.all([
    client.call('loom.tree_create', { id, project: context.project }),
    client.call('loom.node_create_text', { id: node, tree: id, parent: rootOf(id), role: 'user', blocks }),
  ]);
  context.note(`Tree: ${id}`);
  return { tree: id, node, running: null, isNew: true };
}

/** Takes up what was interrupted. */
async function goingOn(input: Words, { context }: Asking): Promise<Begun> {
  if (input.argument('message') !== undefined) {
    throw new HubError('invalid_params', '--continue takes no message', {
      hint: 'it only finishes what was interrupted; to say something: cognition ask @ "message"',
    });
  }
  const tree: Tree = await findTree(context, input.argument('tree') ?? '@', 'read');
  const position = await positionOf(context, tree, input.value('at'));
  return { tree: tree.id, isNew: false, ...(await unfinishedTurn(context, tree, position)) };
}

async function waitFor(begun: Begun, about: Asking & { output: TurnOutput }): Promise<TurnWaited> {
  const { context, wanted, output } = about;
  const { tree, node, running } = begun;
  if (running !== null) return followTurn(context, running, output);
  const place = { id: newTurnId(), tree, node, cwd: process.cwd(), environment: modelEnvironment() };
  const [waited] = await Promise.all([runTurn(context, { ...place, ...wanted }, output), remember(context, begun)]);
  return waited;
}

/** Saves where one stands, once the model has been asked: writing the file takes as long as asking. */
async function remember({ session }: Context, { tree, node, isNew }: Begun): Promise<void> {
  await nextTurn();
  if (isNew) await session.use(tree);
  await session.move(tree, node);
}
