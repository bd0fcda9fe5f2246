import type { Client } from '../../hub/client/client.js';
import type { NodeId, Tree, TurnId } from '../../hub/protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { interruptible } from '../command_line/interruption.js';
import { ask, canAsk } from '../input/ask_person.js';
import { reasonOf } from '../output/failure.js';
import { newTurnId } from '../position/ids.js';
import { renderQuestion } from '../render/node/question_text.js';
import { cleanLine } from '../render/text/clean.js';
import { answerChoice } from '../turn/answer_questions.js';
import { giveKey } from '../turn/key_command.js';
import { modelEnvironment } from '../turn/model_access.js';
import { keysOf } from '../turn/run_turn.js';
import type { TurnOptions } from '../turn/turn_options.js';
import type { BoardScreen } from './board_screen.js';
import { runCheck } from './lane_check.js';
import type { LaneChoice } from './lanes.js';

export interface Race {
  tree: Pick<Tree, 'id'>;
  /** The message that all lanes answer. */
  node: NodeId;
  project: string;
  check: string | null;
  lanes: readonly LaneChoice[];
  options: TurnOptions;
}

/** Runs a turn for each lane in a copy of its own, then its check. Returns the exit code of the signal that has stopped it. */
export async function runRace(
  context: Context,
  race: Race,
  board: Pick<BoardScreen, 'begin' | 'whileAway'>,
): Promise<number | null> {
  const client = await context.client();
  const turns = race.lanes.map(() => newTurnId());
  const stop = (): void => {
    // A turn that has ended, or not begun, need not be stopped.
    for (const turn of turns) client.call('agent.stop', { turn }).catch(() => undefined);
  };
  let asking: Promise<unknown> = Promise.resolve();
  const askNext = <T>(work: () => Promise<T>): Promise<T> => {
    const next = asking.then(() => board.whileAway(work));
    asking = next.catch(() => undefined); // its lane tells it
    return next;
  };
  const work = async (): Promise<void> => {
    await makeCopies({ context, client }, race, turns);
    board.begin();
    await Promise.all(turns.map((turn, index) => runLane({ context, client, race, askNext }, turn, index)));
  };
  // A chat has its own way to stop turns.
  if (context.chat !== null) return work().then(() => null);
  return (await interruptible(work, stop)).interrupted;
}

/** One after the other: all of them read the same project. */
async function makeCopies(
  { context, client }: { context: Context; client: Client },
  { tree, node, project, check, lanes }: Race,
  turns: readonly TurnId[],
): Promise<void> {
  for (const [index, turn] of turns.entries()) {
    const label = lanes[index]?.label ?? '';
    const { told } = await client.call('files.copy_make', { project, tree: tree.id, node, turn, label, check });
    // All lanes have the same packages.
    for (const line of index === 0 ? told : []) context.note(cleanLine(line));
  }
}

interface LaneParts {
  context: Context;
  client: Client;
  race: Race;
  /** Asks the person, one lane after the other. */
  askNext<T>(work: () => Promise<T>): Promise<T>;
}

async function runLane(parts: LaneParts, turn: TurnId, index: number): Promise<void> {
  const { context, client, race } = parts;
  const { label, change, agent } = race.lanes[index] ?? { label: '', change: null, agent: null };
  const place = { tree: race.tree.id, node: race.node, cwd: race.project, environment: modelEnvironment() };
  const limits = { ...race.options.limits, cost_shared: true };
  const keys = keysOf(context, race.options);
  const onEvent = async (event: AgentEvent): Promise<void> => {
    if (event.kind === 'key_wanted') giveKey(keys, client, event).catch(() => undefined); // the turn tells it
  };
  try {
    const params = { ...race.options, ...place, id: turn, change, limits, gives_keys: true, ...agent };
    const begun = await client.stream('agent.run', params, { onEvent });
    const outcome = await answered(parts, { title: `${index + 1}. ${label}`, outcome: begun, onEvent });
    if (outcome.state !== 'done') return;
    const [copy] = (await client.call('loom.copy_list', { turn })).copies;
    const { network } = race.options.grants;
    if (copy !== undefined) await runCheck(context, { copy, tip: outcome.tip, network });
  } catch (error) {
    context.note(`${index + 1}. ${label}: ${reasonOf(error)}`);
  }
}

/** Asks the person at the terminal what a lane asks, while the others work on. An empty answer lets it wait. */
async function answered({ context, client, race, askNext }: LaneParts, begun: BegunLane): Promise<TurnOutcome> {
  const { access, route, grants, limits } = race.options;
  const hasPerson = context.chat === null && !context.json && canAsk(context);
  let { outcome } = begun;
  while (hasPerson && outcome.state === 'waiting') {
    const question = outcome.questions.find(({ answer }) => answer === null);
    if (question === undefined) break;
    const reply = await askNext(() => {
      context.note(`${begun.title} asks:\n${renderQuestion(question)}`);
      return ask(context, question.options.length > 0 ? 'Your answer, or a number:' : 'Your answer:');
    });
    if (reply === '') break;
    const params = {
      ...{ turn: outcome.turn, call: question.id, answer: answerChoice(question, reply), gives_keys: true },
      ...{ access, route, grants, limits: { ...limits, cost_shared: true } },
      ...{ cwd: race.project, environment: modelEnvironment() },
    };
    outcome = await client.stream('agent.answer', params, { onEvent: begun.onEvent });
  }
  return outcome;
}

interface BegunLane {
  title: string;
  outcome: TurnOutcome;
  onEvent(event: AgentEvent): Promise<void>;
}
