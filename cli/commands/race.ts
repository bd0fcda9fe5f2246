import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { NodeId, Tree } from '../../hub/protocol/node.js';
import { command, NODE_WORDS, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { messageBlocks } from '../input/message_blocks.js';
import { treeToWorkIn } from '../input/other_folder.js';
import { EXIT } from '../output/failure.js';
import { newNodeId, newTreeId } from '../position/ids.js';
import { positionOf } from '../position/position.js';
import { workFolder } from '../position/project_folder.js';
import { findTree, rootOf } from '../position/reference.js';
import { remember } from '../position/remember.js';
import { laneOf, raceIn } from '../race/board.js';
import { showBoard } from '../race/board_screen.js';
import { lanesIn } from '../race/lanes.js';
import { type Race, runRace } from '../race/run_race.js';
import { renderBoard } from '../render/reports/race_board.js';
import { count } from '../render/text/ids_and_counts.js';
import { estimateAt, estimateText } from '../turn/estimate_request.js';
import { modelNamed } from '../turn/model_choice.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { checkTurn } from '../turn/run_turn.js';
import { readTurnOptions, TURN_FLAGS, TURN_VALUES, type TurnOptions } from '../turn/turn_options.js';

const [, ...RACE_FLAGS] = TURN_FLAGS;

export const raceCommand = command({
  name: 'race',
  summary: 'Let several models answer the same message at once, each in a copy of the project of its own.',
  details:
    'Each lane is a branch below the message, and works in a folder of its own that stands at the path of the project. With --check a command tells then which of them are good. Nothing of it is in your folder until you pick a lane; the others stay as branches. Without a message it shows how the newest race of the conversation stands. Installed packages such as node_modules are shown to the lanes read-only, other files that git ignores are not; their git is read-only.',
  arguments: [
    { ...TREE, required: false, description: `${TREE.description}; a new one when left out` },
    { name: 'message', required: false, description: 'the message, or - for standard input', completes: null },
  ],
  flags: [...RACE_FLAGS],
  values: [
    { name: 'with', value: 'models', choices: null, description: 'who races: sonnet×2,gpt has three lanes' },
    { name: 'check', value: 'command', choices: null, description: 'the command that tells whether a lane is good' },
    { name: 'at', value: 'node', choices: null, description: `say it below this node: ${NODE_WORDS}` },
    ...TURN_VALUES,
  ],
  examples: [
    {
      line: 'cognition race "fix the flaky test" --with sonnet×2,gpt --check "npm test"',
      does: 'three lanes, each tested',
    },
    { line: 'cognition race @ "try it" --with demo×4 --max-cost 2', does: 'goes on in the current conversation' },
    { line: 'cognition race', does: 'shows how the newest race stands' },
  ],
  async run(input, context) {
    const [first, second] = [input.argument('tree'), input.argument('message')];
    const message = second ?? (input.value('with') === undefined ? undefined : first);
    if (message === undefined) return showNewest(await findTree(context, first ?? '@', 'read'), context);
    refuseInside('race');
    const options = await readTurnOptions(input, context);
    const lanes = await lanesOf(input.value('with') ?? '', { context, options });
    const blocks = await messageBlocks(message, context);
    const start = await placeFor(second === undefined ? null : (first ?? '@'), input.value('at'), context);
    const { access, usual_model } = options;
    for (const { change } of lanes) await checkTurn(context, { access, usual_model, change, node: start.node });
    await notePrice(context, { node: start.node, lanes, options });
    const client = await context.client();
    if (start.isNew) await client.call('loom.tree_create', { id: start.tree.id, project: context.project });
    const node = newNodeId();
    const parent = start.node ?? rootOf(start.tree.id);
    await client.call('loom.node_create_text', { id: node, tree: start.tree.id, parent, role: 'user', blocks });
    await remember(context, async (session) => {
      if (start.isNew) await session.use(start.tree.id, context.project);
      await session.move(start.tree.id, node);
    });
    const project = workFolder(start.isNew ? null : start.tree, context.project);
    const race = { tree: start.tree, node, project, check: input.value('check') ?? null, lanes, options };
    return hold(context, race);
  },
});

type RaceLanes = Race['lanes'];

async function lanesOf(
  text: string,
  { context, options }: { context: Context; options: TurnOptions },
): Promise<RaceLanes> {
  const models = lanesIn(text);
  return Promise.all(
    models.map(async (label) => {
      const model = await modelNamed(context, { model: label, provider: undefined });
      return { label, change: { ...options.change, ...(model === null ? {} : { model }) } };
    }),
  );
}

interface RaceStart {
  tree: Pick<Tree, 'id' | 'project'>;
  /** Null in a new tree. */
  node: NodeId | null;
  isNew: boolean;
}

async function placeFor(reference: string | null, at: string | undefined, context: Context): Promise<RaceStart> {
  if (reference === null) return { tree: { id: newTreeId(), project: context.project }, node: null, isNew: true };
  const tree = await treeToWorkIn(context, reference, false);
  return { tree, node: await positionOf(context, tree, at), isNew: false };
}

/** What the first request of each lane will be. */
async function notePrice(
  context: Context,
  { node, lanes, options }: { node: NodeId | null; lanes: RaceLanes; options: TurnOptions },
): Promise<void> {
  const { cost_microdollars: most } = options.limits;
  const limit = most === null ? 'no limit: --max-cost sets one for all' : `at most $${most / 1_000_000} for all`;
  context.note(`${count(lanes.length, 'lane')}, ${limit}.`);
  if (node === null) return;
  for (const label of new Set(lanes.map((lane) => lane.label))) {
    const change = lanes.find((lane) => lane.label === label)?.change ?? null;
    context.note(`${label}: ${estimateText(await estimateAt(context, node, { ...options, change }))}`);
  }
}

/** Runs a race to its end, and shows it meanwhile. */
async function hold(context: Context, race: Race): Promise<number> {
  const client = await context.client();
  const read = async () => {
    const copies = (await raceIn(client, race.tree.id)).filter(({ node }) => node === race.node);
    return Promise.all(copies.map((copy, index) => laneOf(client, copy, index + 1)));
  };
  const board = showBoard(context, read);
  const interrupted = await runRace(context, race, board.changed);
  const lanes = await board.end();
  if (context.json) await context.printJson({ tree: race.tree.id, node: race.node, lanes });
  const good = lanes.filter(({ state, check }) => state === 'done' && (race.check === null || check === 0));
  const [best] = good;
  if (best !== undefined) context.note(['Take one: ', cliCommand('pick', String(best.number))]);
  return interrupted ?? (good.length > 0 ? EXIT.ok : EXIT.failure);
}

async function showNewest(tree: Tree, context: Context): Promise<number> {
  const client = await context.client();
  const copies = await raceIn(client, tree.id);
  if (copies.length === 0) {
    throw new HubError('not_found', 'there is no race in this conversation', {
      hint: [cliCommand('race', '"message"', '--with', 'sonnet×2,gpt')],
    });
  }
  const lanes = await Promise.all(copies.map((copy, index) => laneOf(client, copy, index + 1)));
  if (context.json) await context.printJson({ tree: tree.id, lanes });
  else await context.out.write(renderBoard(lanes, await context.look(lanes.map(({ label }) => label))));
  return EXIT.ok;
}
