import { setTimeout as pause } from 'node:timers/promises';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { NodeId, Tree } from '../../hub/protocol/node.js';
import { command, NODE_WORDS, TREE } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { interruptible } from '../command_line/interruption.js';
import { messageBlocks } from '../input/message_blocks.js';
import { EXIT } from '../output/failure.js';
import { positionOf } from '../position/position.js';
import { findTree } from '../position/reference.js';
import { createLaneReader, isUnderWay, laneNumbered, raceIn } from '../race/board.js';
import { showBoard } from '../race/board_screen.js';
import type { Copy } from '../race/copy.js';
import { runCheck } from '../race/lane_check.js';
import { laneChoices, lanesIn } from '../race/lanes.js';
import { raceOnRemote, showRemoteRace } from '../race/remote_race.js';
import { type Race, runRace } from '../race/run_race.js';
import { startRace } from '../race/start_race.js';
import type { Lane } from '../render/reports/race_board.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { DETACH, ON_VALUES, type OnInput, refuseWithoutOn } from '../sharing/ask_on_remote.js';
import { chosenRemote } from '../sharing/remotes.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { readTurnOptions, TURN_FLAGS, TURN_VALUES } from '../turn/turn_options.js';

const [, ...RACE_FLAGS] = TURN_FLAGS;
const PACE_MS = 500;

export const raceCommand = command({
  name: 'race',
  summary: 'Let several models answer the same message at once, each in a copy of the project of its own.',
  details:
    'Each lane is a branch below the message, and works in a folder of its own that stands at the path of the project. With --check a command tells then which of them are good. Nothing of it is in your folder until you pick a lane; the others stay as branches. Without a message it shows how the newest race of the conversation stands. Who asks something is told of first: you answer here, or with answer. Agents of others, such as claude, are lanes as models are. Installed packages such as node_modules are copied into each lane, large ones are shown read-only; other files that git ignores, such as .env, are not there, and their git is read-only.',
  arguments: [
    { ...TREE, required: false, description: `${TREE.description}; a new one when left out` },
    { name: 'message', required: false, description: 'the message, or - for standard input', completes: null },
  ],
  flags: [...RACE_FLAGS, DETACH],
  values: [
    ...ON_VALUES,
    { name: 'with', value: 'models', choices: null, description: 'who races: sonnet×2,gpt,claude has four lanes' },
    { name: 'check', value: 'command', choices: null, description: 'the command that tells whether a lane is good' },
    { name: 'at', value: 'node', choices: null, description: `say it below this node: ${NODE_WORDS}` },
    {
      name: 'stop',
      value: 'lane',
      choices: null,
      description: 'stop this lane of the newest race; what it did is kept',
    },
    ...TURN_VALUES,
  ],
  examples: [
    {
      line: 'cognition race "fix the flaky test" --with sonnet×2,gpt --check "npm test"',
      does: 'three lanes, each tested',
    },
    { line: 'cognition race @ "try it" --with demo×4 --max-cost 2', does: 'goes on in the current conversation' },
    { line: 'cognition race', does: 'shows how the newest race stands' },
    { line: 'cognition race --stop 3', does: 'stops its third lane' },
    {
      line: 'cognition race "fix the flaky test" --with sonnet×2 --on team',
      does: 'two workers answer, on their machines',
    },
  ],
  async run(input, context) {
    refuseWithoutOn(input);
    if (input.value('on') !== undefined) return raceElsewhere(input, context);
    const [first, second] = [input.argument('tree'), input.argument('message')];
    const message = second ?? (input.value('with') === undefined ? undefined : first);
    if (message === undefined) {
      const tree = await findTree(context, first ?? '@', 'read');
      const at = input.value('at');
      const copies = await raceIn(
        await context.client(),
        tree.id,
        at === undefined ? null : await positionOf(context, tree, at),
      );
      const lane = input.value('stop');
      return lane === undefined ? showRace(context, tree, copies) : stopLane(context, laneNumbered(copies, lane));
    }
    refuseInside('race');
    const options = await readTurnOptions(input, context);
    const lanes = await laneChoices(context, options, lanesIn(input.value('with') ?? ''));
    const plan = {
      ...{ reference: second === undefined ? null : (first ?? '@'), at: input.value('at'), lanes, options },
      ...{ blocks: await messageBlocks(message, context), check: checkIn(input.value('check')) },
    };
    return hold(context, await startRace(context, plan));
  },
});

function checkIn(check: string | undefined): string | null {
  if (check?.trim() !== '') return check ?? null;
  throw new HubError('invalid_params', '--check takes a command', { hint: 'such as --check "npm test"' });
}

interface OnRemoteInput extends OnInput {
  argument(name: 'tree' | 'message'): string | undefined;
}

/** The same with workers of a remote. */
async function raceElsewhere(input: OnRemoteInput, context: Context): Promise<number> {
  const remote = chosenRemote(context, input.value('on'));
  const [first, second] = [input.argument('tree'), input.argument('message')];
  const message = second ?? (input.value('with') === undefined ? undefined : first);
  if (message === undefined) {
    const tree = await findTree(context, first ?? '@', 'read');
    return showRemoteRace(context, { remote, tree: tree.id }, input.value('stop'));
  }
  refuseInside('race');
  if (input.value('check') !== undefined) {
    throw new HubError('invalid_params', '--check does not go with --on: workers run no commands of others', {
      hint: 'pick a lane, then run it here',
    });
  }
  const models = lanesIn(input.value('with') ?? '');
  const reference = second === undefined ? null : (first ?? '@');
  const blocks = await messageBlocks(message, context);
  const options = [...raceCommand.flags, ...raceCommand.values].filter(({ name }) => name !== 'model');
  return raceOnRemote(context, { input, options, reference, blocks, moves: true }, { remote, models });
}

/** Runs a race to its end, and shows it meanwhile. */
async function hold(context: Context, race: Race): Promise<number> {
  const client = await context.client();
  const readLanes = createLaneReader(client);
  const board = showBoard(context, async () => readLanes(await raceIn(client, race.tree.id, race.node)));
  const interrupted = await runRace(context, race, board);
  const lanes = await board.end();
  if (context.json) await context.printJson({ tree: race.tree.id, node: race.node, lanes });
  return interrupted ?? tellEnd(context, lanes);
}

/** Says what to do next; returns the exit code. */
function tellEnd(context: Context, lanes: readonly Lane[]): number {
  const best = lanes.find(({ state, check, hasCheck }) => state === 'done' && (!hasCheck || check === 0));
  const asking = lanes.find(({ state }) => state === 'waiting');
  tellFailedChecks(context, lanes);
  if (asking !== undefined) {
    context.note([`Lane ${asking.number} waits for your answer: `, cliCommand('answer')]);
  }
  if (best !== undefined) {
    context.note(['Take one: ', cliCommand('pick', String(best.number))]);
    return EXIT.ok;
  }
  return asking === undefined ? EXIT.failure : EXIT.approval;
}

/** Says how to read why. */
function tellFailedChecks(context: Context, lanes: readonly Lane[]): void {
  for (const { number, check, tip } of lanes) {
    if (check === null || check === 0) continue;
    context.note([`What the check of lane ${number} printed: `, cliCommand('output', shortId(tip))]);
  }
}

/** Shows a race that somebody has begun: on a terminal until it has ended. Checks that nobody has run are run. */
async function showRace(context: Context, tree: Tree, copies: readonly Copy[]): Promise<number> {
  const client = await context.client();
  const node: NodeId | null = copies[0]?.node ?? null;
  const readLanes = createLaneReader(client);
  const read = async () => readLanes(await raceIn(client, tree.id, node));
  if (!context.screen.isTty || context.chat !== null || context.json) {
    const board = showBoard(context, read);
    const lanes = await board.end();
    if (context.json) await context.printJson({ tree: tree.id, node, lanes });
    tellFailedChecks(context, lanes);
    return EXIT.ok;
  }
  const board = showBoard(context, read);
  const leaving = new AbortController();
  const follow = async (): Promise<void> => {
    board.begin();
    await runDueChecks(context, copies, await read());
    while (!leaving.signal.aborted && (await read()).some(isUnderWay)) {
      await pause(PACE_MS, undefined, { signal: leaving.signal }).catch(() => undefined); // the person has left
    }
  };
  const { interrupted } = await interruptible(follow, () => leaving.abort());
  const lanes = await board.end();
  return interrupted ?? tellEnd(context, lanes);
}

/** Runs the checks of lanes that have ended when nobody watched. */
async function runDueChecks(context: Context, copies: readonly Copy[], lanes: readonly Lane[]): Promise<void> {
  const due = lanes.filter(({ state, check, hasCheck }) => state === 'done' && hasCheck && check === null);
  const running = due.map(({ number, answer }) => {
    const copy = copies[number - 1];
    return copy === undefined ? undefined : runCheck(context, { copy, tip: answer, network: false });
  });
  await Promise.all(running);
}

async function stopLane(context: Context, { copy, number }: ReturnType<typeof laneNumbered>): Promise<number> {
  const { stopped } = await (await context.client()).call('agent.stop', { turn: copy.turn });
  await context.out.write(stopped ? `Stopped lane ${number}.\n` : `Lane ${number} had ended before.\n`);
  return EXIT.ok;
}
