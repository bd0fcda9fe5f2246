import type { Client } from '../../hub/client/client.js';
import type { NodeId, Tree, TurnId } from '../../hub/protocol/node.js';
import type { Policy } from '../../hub/protocol/policy.js';
import type { AgentEvent, TurnOutcome } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { interruptible } from '../command_line/interruption.js';
import { beginExecution } from '../exec/run_command.js';
import { reasonOf } from '../output/failure.js';
import { newNodeId, newTurnId } from '../position/ids.js';
import { modelEnvironment } from '../turn/model_access.js';
import type { TurnOptions } from '../turn/turn_options.js';

export interface Race {
  tree: Pick<Tree, 'id'>;
  /** The message that all lanes answer. */
  node: NodeId;
  project: string;
  check: string | null;
  /** The change of settings and the label of each lane. */
  lanes: readonly { label: string; change: TurnOptions['change'] }[];
  options: TurnOptions;
}

const CHECK_MS_MAX = 30 * 60_000;

/** Runs a turn for each lane in a copy of its own, then its check; `changed` is called whenever something has. */
export async function runRace(context: Context, race: Race, changed: () => void): Promise<number | null> {
  const client = await context.client();
  const turns = race.lanes.map(() => newTurnId());
  const stop = (): void => {
    // A turn that has ended, or not begun, need not be stopped.
    for (const turn of turns) client.call('agent.stop', { turn }).catch(() => undefined);
  };
  const budget = sharedBudget(race.options.limits.cost_microdollars, stop);
  const { interrupted } = await interruptible(async () => {
    await makeCopies(client, race, turns);
    changed();
    await Promise.all(turns.map((turn, index) => runLane({ context, client, race, budget, changed }, turn, index)));
  }, stop);
  return interrupted;
}

/** One after the other: all of them read the same project. */
async function makeCopies(
  client: Client,
  { tree, node, project, check, lanes }: Race,
  turns: readonly TurnId[],
): Promise<void> {
  for (const [index, turn] of turns.entries()) {
    await client.call('files.copy_make', {
      project,
      tree: tree.id,
      node,
      turn,
      label: lanes[index]?.label ?? '',
      check,
    });
  }
}

interface LaneParts {
  context: Context;
  client: Client;
  race: Race;
  budget: ReturnType<typeof sharedBudget>;
  changed(): void;
}

async function runLane(parts: LaneParts, turn: TurnId, index: number): Promise<void> {
  const { context, client, race, budget, changed } = parts;
  const { label, change } = race.lanes[index] ?? { label: '', change: null };
  const place = { tree: race.tree.id, node: race.node, cwd: race.project, environment: modelEnvironment() };
  const onEvent = async (event: AgentEvent): Promise<void> => {
    if (event.kind === 'usage_counted') budget.add(turn, event.price_microdollars ?? 0);
    changed();
  };
  try {
    const params = { ...race.options, ...place, id: turn, change };
    const outcome = await client.stream('agent.run', params, { onEvent });
    if (outcome.state === 'done') await runCheck(parts, outcome);
  } catch (error) {
    context.note(`${index + 1}. ${label}: ${reasonOf(error)}`);
  }
  changed();
}

/** Runs the check where the lane has worked, below its answer. */
async function runCheck({ context, client, race }: LaneParts, { turn, tip }: TurnOutcome): Promise<void> {
  if (race.check === null) return;
  const [copy] = (await client.call('loom.copy_list', { turn })).copies;
  if (copy === undefined) return;
  const { project, folder } = copy;
  const policy: Policy = {
    ...{ kind: 'contained', network: race.options.grants.network, writable: [project], readable: null },
    copy: { project, folder, turn },
  };
  const execution = {
    ...{ tree: race.tree, parent: tip, id: newNodeId(), command: race.check, cwd: project, policy },
    ...{ timeoutMs: CHECK_MS_MAX, detached: false, append: true },
  };
  await beginExecution(context, { execution, client, onEvent: () => undefined }).answer;
}

/** Stops all lanes when together they have cost too much. */
function sharedBudget(most: number | null, stop: () => void) {
  const spent = new Map<TurnId, number>();
  return {
    add(turn: TurnId, price: number): void {
      spent.set(turn, (spent.get(turn) ?? 0) + price);
      const all = [...spent.values()].reduce((sum, one) => sum + one, 0);
      if (most !== null && all > most) stop();
    },
  };
}
