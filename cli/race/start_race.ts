import type { Client } from '../../hub/client/client.js';
import type { Block, NodeId, Tree } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { treeToWorkIn } from '../input/other_folder.js';
import { newNodeId, newTreeId } from '../position/ids.js';
import { positionOf } from '../position/position.js';
import { workFolder } from '../position/project_folder.js';
import { rootOf } from '../position/reference.js';
import { remember } from '../position/remember.js';
import { count } from '../render/text/ids_and_counts.js';
import { estimateAt, estimateText } from '../turn/estimate_request.js';
import { checkTurn } from '../turn/run_turn.js';
import type { TurnOptions } from '../turn/turn_options.js';
import type { LaneChoice } from './lanes.js';
import type { Race } from './run_race.js';

export interface RacePlan {
  /** The tree as the person names it; null for a new one. */
  reference: string | null;
  at: string | undefined;
  blocks: Block[];
  lanes: readonly LaneChoice[];
  options: TurnOptions;
  check: string | null;
}

/** Adds the message that all lanes answer, when all of them can, and tells what it will cost. */
export async function startRace(context: Context, plan: RacePlan): Promise<Race> {
  const { blocks, lanes, options, check } = plan;
  const start = await placeFor(plan, context);
  const { access, usual_model } = options;
  for (const { change, agent } of lanes) {
    if (agent === null) await checkTurn(context, { access, usual_model, change, node: start.parent });
  }
  const client = await context.client();
  const { tree, isNew } = start;
  const project = workFolder(isNew ? null : tree, context.project);
  await refuseUnrecorded(client, project);
  if (isNew) await client.call('loom.tree_create', { id: tree.id, project: context.project });
  const node = newNodeId();
  const parent = start.parent ?? rootOf(tree.id);
  context.chat?.adds(node, 'beside');
  await client.call('loom.node_create_text', { id: node, tree: tree.id, parent, role: 'user', blocks });
  if (context.chat === null) {
    await remember(context, async (session) => {
      if (isNew) await session.use(tree.id, context.project);
      await session.move(tree.id, node);
    });
  }
  await notePrice(context, plan, node);
  return { tree, node, project, check, lanes, options };
}

/** Refuses a folder of which there can be no copies, before anything is made for a race. */
export async function refuseUnrecorded(client: Client, project: string): Promise<void> {
  await client.call('files.status', { project, tree: null });
}

interface RaceStart {
  tree: Pick<Tree, 'id' | 'project'>;
  /** Null in a new tree. */
  parent: NodeId | null;
  isNew: boolean;
}

async function placeFor({ reference, at }: RacePlan, context: Context): Promise<RaceStart> {
  if (reference === null) return { tree: { id: newTreeId(), project: context.project }, parent: null, isNew: true };
  const tree = await treeToWorkIn(context, reference, false);
  return { tree, parent: await positionOf(context, tree, at), isNew: false };
}

/** What the first request of each lane will be. */
async function notePrice(context: Context, { lanes, options }: RacePlan, node: NodeId): Promise<void> {
  const { cost_microdollars: most } = options.limits;
  const limit = most === null ? 'no limit: --max-cost sets one for all' : `at most $${most / 1_000_000} for all`;
  context.note(`${count(lanes.length, 'lane')}, ${limit}.`);
  for (const label of new Set(lanes.map((lane) => lane.label))) {
    const lane = lanes.find((one) => one.label === label);
    if (lane === undefined || lane.agent !== null) {
      context.note(`${label}: an agent of others, which is paid where it is logged in`);
      continue;
    }
    context.note(`${label}: ${estimateText(await estimateAt(context, node, { ...options, change: lane.change }))}`);
  }
}
