import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { Handlers, HubCalls, HubResolve } from '../../base/plugin.js';
import type { ParsedOf } from '../../protocol/methods/method_table.js';
import type { Task } from '../../protocol/methods/task_methods.js';
import { greet } from '../greet.js';
import { requirePrepared } from '../remote_schema.js';
import { holdWhileRunning } from './hold_task.js';
import { announceTask, QUEUE, type TaskLines } from './task_lines.js';
import { endTask, listTasks, noteWorker, requireTask, stopTask, takeTask } from './task_rows.js';

interface TaskParts {
  lines: TaskLines;
  /** Of this program. */
  version: string;
}

/** Tasks that hubs give each other over a remote. */
export function taskMethods(hub: HubCalls & HubResolve, parts: TaskParts): Handlers {
  const { lines, version } = parts;
  return {
    'sharing.task_create': (params, context) => createTask({ hub, context }, parts, params),
    'sharing.task_take': async ({ remote: name, token, worker, wait_ms: waitMs }, context) => {
      const own = await lines.use(name, context, async (remote, reach) => {
        await requirePrepared(remote);
        const id = await greet(reach, remote, version);
        await noteWorker(remote, id, worker);
        return id;
      });
      const take = () =>
        lines.use(name, context, async (remote) => {
          const task = await takeTask(remote, { hub: own, worker, token });
          if (task !== null) await announceTask(remote, task.id);
          return task;
        });
      const waiting = { name, what: QUEUE, waitMs, signal: context.signal };
      return { task: await awaited(lines, waiting, { ask: take, isWanted: (task) => task !== null }) };
    },
    'sharing.task_hold': (params, context) => holdWhileRunning(hub, { lines, context }, params),
    'sharing.task_end': async (params, context) => {
      const { remote: name, task } = params;
      const unsent = await whyUnsent({ hub, context }, params);
      const ending = unsent === null ? params : { ...params, how: 'failed' as const, reason: params.reason ?? unsent };
      return lines.use(name, context, async (remote) => {
        const state = await endTask(remote, ending);
        for (const what of state === 'queued' ? [QUEUE, task] : [task]) await announceTask(remote, what);
        return { state };
      });
    },
    'sharing.task_wait': async ({ remote: name, task: id, wait_ms: waitMs, seen }, context) => {
      const isWanted = ({ state, tip }: Task): boolean => seen === null || state !== seen.state || tip !== seen.tip;
      const ask = () => lines.use(name, context, (remote) => requireTask(remote, id));
      return { task: await awaited(lines, { name, what: id, waitMs, signal: context.signal }, { ask, isWanted }) };
    },
    'sharing.task_stop': ({ remote: name, task }, context) =>
      lines.use(name, context, async (remote) => {
        const state = await stopTask(remote, task);
        await announceTask(remote, task);
        return { state };
      }),
    'sharing.task_list': ({ remote: name, limit }, context) =>
      lines.use(name, context, async (remote) => {
        await requirePrepared(remote);
        return listTasks(remote, limit);
      }),
  };
}

/** Shares the tree where it is not, sends it, and writes what is to be done. */
async function createTask(
  reach: InternalCaller,
  { lines }: TaskParts,
  { remote: name, id, tree, node, project, model, level, cost_microdollars: cost }: ParsedOf<'sharing.task_create'>,
): Promise<{ shared: boolean }> {
  const found = (await callHub(reach, 'loom.node_get', { node, tree })).node;
  if (found.role !== 'user') throw new HubError('invalid_params', 'what a worker answers is a message of a person');
  const { shares } = await callHub(reach, 'loom.share_list', { remote: name, tree });
  const isShared = shares.some((share) => share.tree.id === tree);
  if (isShared) await sendTree(reach, { remote: name, tree });
  else await callHub(reach, 'sharing.share', { remote: name, tree, files: null });
  await lines.use(name, reach.context, async (remote) => {
    const sql = 'SELECT cognition.task_put($1, $2, $3, $4, $5, $6, $7, $8) AS put';
    const [row] = await remote.query<{ put: string }>(sql, [id, tree, node, found.hash, project, model, level, cost]);
    if (row?.put !== 't') throw tooMany(name);
    await announceTask(remote, QUEUE);
  });
  return { shared: !isShared };
}

/** Sends what a task has brought. Why that can never be; fails where it can be later. */
async function whyUnsent(reach: InternalCaller, params: ParsedOf<'sharing.task_end'>): Promise<string | null> {
  try {
    await sendTree(reach, params);
    return null;
  } catch (error) {
    if (error instanceof HubError && ['conflict', 'not_found', 'unauthorised'].includes(error.kind))
      return error.message;
    throw error;
  }
}

/** Sends what the remote lacks of a tree; fails where that could not be. */
async function sendTree(
  reach: InternalCaller,
  { remote, tree }: { remote: string; tree: Task['tree'] },
): Promise<void> {
  const { trees } = await callHub(reach, 'sharing.sync', { remote, tree, sends: true, fetches: false, files: null });
  const failed = trees.find(({ problem }) => problem !== null);
  if (failed !== undefined) throw new HubError('conflict', `${failed.tree.slice(0, 8)}: ${failed.problem}`);
}

/** Asks again whenever there may be news, until it is as wanted or the time is over; the last answer. */
async function awaited<T>(
  lines: TaskLines,
  { waitMs, ...about }: { name: string; what: string; waitMs: number; signal: AbortSignal },
  { ask, isWanted }: { ask(): Promise<T>; isWanted(answer: T): boolean },
): Promise<T> {
  const endMs = Date.now() + waitMs;
  const news = lines.sleepUntil(about);
  try {
    for (;;) {
      const answer = await ask();
      const leftMs = endMs - Date.now();
      if (isWanted(answer) || leftMs <= 0) return answer;
      await news.wait(Math.min(leftMs, lines.pollMs(about.name)));
    }
  } finally {
    news.end();
  }
}

function tooMany(name: string): HubError {
  return new HubError('limit', `a thousand tasks of yours wait or run at ${name} already`, {
    hint: ['look at them with: ', cliCommand('workers', '--remote', name)],
  });
}
