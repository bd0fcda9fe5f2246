import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';
import type { Task } from '../../hub/protocol/methods/task_methods.js';
import type { NodeId, TurnId } from '../../hub/protocol/node.js';
import { newNodeId } from '../position/ids.js';
import type { WorkerPlan } from './worker_plan.js';

/** How long a copy may wait for its turn to begin, and where there are too many. */
const LEFT_MS = 60_000;
const LEFT_MS_MIN = 5_000;

/** Where a turn begins, or why nobody can do the task. */
type Begun = { node: NodeId } | { unfit: string };

/** Fetches what is to be answered, and makes the copy of the project in which that is done. */
export async function beginTask(
  client: Client,
  plan: WorkerPlan,
  { task, turn }: { task: Task; turn: TurnId },
): Promise<Begun> {
  const unfit = await fetchMessage(client, plan, task);
  if (unfit !== null) return { unfit };
  const node = task.former === null ? task.node : await takeUp(client, plan, task);
  const { project, facts } = plan;
  // Who only reads needs none.
  if (facts.level === 'readonly' || task.level === 'readonly') return { node };
  await makeCopy(client, { project, tree: task.tree, node, turn, label: `worker ${facts.project}`, as_recorded: true });
  const { copies } = await client.call('loom.copy_list', { turn });
  if (copies.length > 0) return { node };
  throw new HubError('conflict', `no copy can be made of the project ${facts.project}: its files are not recorded`);
}

async function makeCopy(client: Client, copy: ParamsOf<'files.copy_make'>): Promise<void> {
  await removeLeft(client, copy.label, LEFT_MS);
  try {
    await client.call('files.copy_make', copy);
  } catch (error) {
    if (!(error instanceof HubError && error.kind === 'limit')) throw error;
    await removeLeft(client, copy.label, LEFT_MS_MIN);
    await client.call('files.copy_make', copy);
  }
}

/** Removes copies that workers before, which were killed, have left: a project has a limited number. */
async function removeLeft(client: Client, label: string, ageMs: number): Promise<void> {
  const { copies } = await client.call('loom.copy_list', {});
  const { turns } = await client.call('agent.status', {});
  const isLeft = (copy: (typeof copies)[number]): boolean =>
    copy.label === label && copy.at_ms < Date.now() - ageMs && !turns.some(({ turn }) => turn === copy.turn);
  for (const { turn } of copies.filter(isLeft)) {
    await client.call('files.copy_remove', { turn }).catch(() => undefined); // another task of this worker removes it, too
  }
}

/** What is answered is what its login has written at the remote: its hash names all that was said before it. */
async function fetchMessage(client: Client, { remote, project }: WorkerPlan, task: Task): Promise<string | null> {
  const { trees } = await client.call('sharing.sync', { remote, tree: task.tree, sends: false, fetches: true });
  const problem = trees.find(({ tree }) => tree === task.tree)?.problem ?? null;
  const found = await client.call('loom.node_get', { node: task.node, tree: task.tree }).catch(() => null);
  if (found === null) return problem ?? 'what is to be answered is not there';
  if (found.node.hash !== task.hash || found.node.role !== 'user')
    return 'what is to be answered is not what was asked';
  const tree = await client.call('loom.tree_get', { tree: task.tree });
  const isElsewhere = tree.project !== null && tree.project !== project;
  return isElsewhere ? 'its conversation works in another folder here' : null;
}

/** Says in the tree what became of the worker before. Returns that message, which the turn answers. */
async function takeUp(client: Client, { facts }: WorkerPlan, task: Task): Promise<NodeId> {
  const { former, worker, tip, tree } = task;
  const trusts =
    facts.people === '*' || (facts.people ?? []).includes(former?.login ?? '') || former?.login === worker?.login;
  const parent = trusts && tip !== null && (await isBelow(client, tip, task)) ? tip : task.node;
  const why = trusts && task.reason !== null ? `: ${task.reason}` : '';
  // The model is told this: a name is what that login has called itself.
  const whose = trusts && former !== null ? former.by : 'of another hub';
  const { snapshots } = await client.call('loom.snapshot_list', { tree, limit: 1 });
  const hasFiles = parent !== task.node && former?.hub === worker?.hub && snapshots.length > 0;
  const id = newNodeId();
  const text = [
    `(The worker before, ${whose}, has left this unfinished${why}.`,
    parent === task.node ? 'It is begun anew.' : 'Go on from here.',
    hasFiles
      ? 'The files are as they were left.)'
      : 'This is a new copy of the project, without what was changed before.)',
  ].join(' ');
  await client.call('loom.node_create_text', { id, tree, parent, role: 'user', blocks: [{ type: 'text', text }] });
  return id;
}

/** Whether a node that a worker names is on a branch of the task. */
async function isBelow(client: Client, tip: NodeId, { node, tree }: Task): Promise<boolean> {
  try {
    const { depth } = (await client.call('loom.node_get', { node, tree })).node;
    await client.call('loom.node_get', { node: tip, tree });
    const { nodes } = await client.call('loom.context_get_path', { node: tip, from_depth: depth, limit: 1 });
    await client.call('loom.node_check', { tree, node: tip });
    return nodes[0]?.id === node;
  } catch (error) {
    // It is not here, or within a step.
    if (error instanceof HubError && error.kind !== 'unreachable') return false;
    throw error;
  }
}
