import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Client } from '../../hub/client/client.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Node, NodeId, TreeId, TurnId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { outputPieces } from '../exec/stored_output.js';
import { isTurnId } from '../position/ids.js';
import type { Lane } from '../render/reports/race_board.js';

type Listed = ResultOf<'sharing.task_list'>;
type ListedTask = Listed['tasks'][number];
type Changed = Pick<Lane, 'files' | 'added' | 'removed'>;

const NONE: Changed = { files: 0, added: 0, removed: 0 };
/** Of a longer patch no lines are counted. */
const COUNTED_BYTES_MAX = 4 * 1024 * 1024;
const STATES: Readonly<Record<ListedTask['state'], Lane['state']>> = {
  ...{ queued: 'starting', running: 'running', done: 'done', failed: 'failed', stopped: 'interrupted' },
};

/** Where a race runs whose lanes are tasks of a remote. */
export interface RemoteRace {
  remote: string;
  tree: TreeId;
  /** The message that all lanes answer; null for that of the newest race. */
  node: NodeId | null;
}

/** A lane that a worker has, or will have. */
export interface RemoteLane extends Lane {
  task: string;
  /** Which message it answers, and the node that holds what it has changed; null for nothing. */
  node: NodeId;
  patch: NodeId | null;
  reason: string | null;
}

/** Reads where the lanes of a race stand, in the order in which they were asked for; their nodes are fetched when there are new ones. */
export function createRemoteReader(client: Client): (race: RemoteRace) => Promise<RemoteLane[]> {
  const known = new Map<string, { tip: NodeId; found: Found }>();

  async function fetched(remote: string, tasks: readonly ListedTask[]): Promise<void> {
    const fresh = tasks.filter(({ id, tip }) => tip !== null && known.get(id)?.tip !== tip);
    const [first] = fresh;
    if (first === undefined) return;
    await client.call('sharing.sync', { remote, tree: first.tree, sends: false, fetches: true });
    for (const { id, tip } of fresh) if (tip !== null) known.set(id, { tip, found: await findPatch(client, tip) });
  }

  return async ({ remote, tree, node }) => {
    const { tasks } = await client.call('sharing.task_list', { remote, limit: 1_000 });
    const lanes = raceAmong(tasks.filter((task) => task.tree === tree && (node === null || task.node === node))).sort(
      (one, other) => one.made_at_ms - other.made_at_ms || (one.id < other.id ? -1 : 1),
    );
    await fetched(remote, lanes);
    return lanes.map((task, index) => laneOf(task, index + 1, known.get(task.id)?.found ?? NOTHING));
  };
}

/** The tasks of the newest race: one's own before those of others. Anybody who may write could put a lane of theirs beside those of a race. */
function raceAmong(tasks: readonly ListedTask[]): ListedTask[] {
  const [newest] = [...tasks].sort(
    (one, other) => Number(other.own) - Number(one.own) || other.made_at_ms - one.made_at_ms,
  );
  return tasks.filter(({ node, login }) => node === newest?.node && login === newest.login);
}

interface Found {
  patch: NodeId | null;
  changed: Changed;
}

const NOTHING: Found = { patch: null, changed: NONE };

function laneOf(task: ListedTask, number: number, { patch, changed }: Found): RemoteLane {
  const {
    id,
    node,
    model,
    worker,
    state,
    tip,
    price_microdollars: price,
    began_at_ms: begun,
    ended_at_ms: ended,
  } = task;
  const whose = worker === null ? '' : ` · ${worker.by ?? worker.login}`;
  // Only its worker knows more than the price.
  const cost = { ...UNKNOWN, price_microdollars: price };
  return {
    ...{
      number,
      label: `${model ?? 'usual model'}${whose}`,
      turn: turnOf(id),
      task: id,
      node,
      patch,
      reason: task.reason,
    },
    ...{ state: STATES[state], check: null, hasCheck: false, tip: tip ?? node, answer: tip ?? node, ...changed },
    cost: state === 'queued' ? null : cost,
    seconds: Math.max(0, ((ended ?? Date.now()) - (begun ?? task.made_at_ms)) / 1_000),
  };
}

const UNKNOWN = {
  ...{
    requests: 0,
    running: 0,
    failed: 0,
    tokens_in: 0,
    tokens_out: 0,
    tokens_cache_read: 0,
    tokens_cache_write_5m: 0,
  },
  ...{ tokens_cache_write_1h: 0, unknown_price: 0, unknown_usage: 0, estimated: 0 },
};

/** A task stands for the turn: which one that is only its worker knows. */
function turnOf(task: string): TurnId {
  if (isTurnId(task)) return task;
  throw new RangeError(`${task} is no id`);
}

/** What a worker has put below its answer. */
async function findPatch(client: Client, tip: NodeId): Promise<Found> {
  const node = await client.call('loom.node_get', { node: tip }).then(
    (found) => found.node,
    () => null, // it is not here yet
  );
  const output = node === null ? null : patchIn(node);
  if (node === null || output === null) return NOTHING;
  const changed = { ...NONE, files: output.changed };
  if (output.bytes > COUNTED_BYTES_MAX) return { patch: node.id, changed };
  const pieces: Buffer[] = [];
  for await (const { data } of outputPieces(client, output.sha256)) pieces.push(Buffer.from(data, 'base64'));
  for (const line of Buffer.concat(pieces).toString('latin1').split('\n')) {
    if (line.startsWith('+') && !line.startsWith('+++ ')) changed.added += 1;
    if (line.startsWith('-') && !line.startsWith('--- ')) changed.removed += 1;
  }
  return { patch: node.id, changed };
}

function patchIn(node: Node) {
  if (node.kind !== 'external' || node.external.call.tool !== 'patch' || node.external.output === null) return null;
  const { sha256, size_bytes: bytes } = node.external.output;
  const changed: unknown = Reflect.get(Object(node.external.call.input), 'changed');
  return { sha256, bytes, changed: typeof changed === 'number' ? changed : 0 };
}

/** A chat stands somewhere by itself. */
export function refuseInChat(context: Pick<Context, 'chat'>): void {
  if (context.chat === null) return;
  throw new HubError('invalid_params', '--on is for the command line', {
    hint: 'leave the chat, or open another terminal',
  });
}

/** A lane by its number on the board. */
export function remoteLane(lanes: readonly RemoteLane[], number: string, remote: string): RemoteLane {
  const lane = /^\d{1,2}$/.test(number) ? lanes[Number(number) - 1] : undefined;
  if (lane !== undefined) return lane;
  const message =
    lanes.length === 0
      ? `no race of this conversation is at ${remote}`
      : `the race has no lane ${JSON.stringify(number)}`;
  throw new HubError('not_found', message, {
    hint: [lanes.length === 0 ? 'begin one: ' : 'look at it: ', cliCommand('race', '--on', remote)],
  });
}
