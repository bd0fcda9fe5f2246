import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import type { ParsedOf, ResultOf } from '../../protocol/methods/method_table.js';
import { ListedTask, ListedWorker, Task, type WorkerFacts } from '../../protocol/methods/task_methods.js';
import type { NodeId } from '../../protocol/node.js';
import type { Remote } from '../remote_connection.js';

const MS = (time: string): string => `(extract(epoch FROM ${time}) * 1000)::bigint`;
const BY = `coalesce(h.person || ' · ' || h.machine, '')`;
const WHO = (role: string): string =>
  `CASE WHEN k.${role}_hub IS NULL THEN NULL ELSE jsonb_build_object('hub', k.${role}_hub, 'login', k.${role}_login,
    'by', (SELECT ${BY} FROM cognition.hubs h WHERE h.id = k.${role}_hub)) END`;
const TASK = `jsonb_build_object('id', k.id, 'login', k.login, 'tree', k.tree, 'node', k.node, 'hash', k.hash,
  'project', k.project, 'model', k.model, 'level', k.level, 'cost_microdollars', k.cost, 'state', k.state, 'stop', k.stop,
  'lost', k.lost, 'failed', k.failed, 'tip', k.tip, 'price_microdollars', k.paid, 'reason', k.reason,
  'worker', ${WHO('worker')}, 'former', ${WHO('former')},
  'made_at_ms', ${MS('k.made_at')}, 'began_at_ms', ${MS('k.began_at')}, 'ended_at_ms', ${MS('k.ended_at')})`;

/** How a task is; null when there is none, or one that is of no known form. */
async function readTask(remote: Remote, id: string): Promise<Task | null> {
  const [row] = await remote.query<{ task: string }>(`SELECT ${TASK} AS task FROM cognition.tasks k WHERE k.id = $1`, [
    id,
  ]);
  return row === undefined ? null : (Task.safeParse(JSON.parse(row.task)).data ?? null);
}

/** The same; refused where there is none. */
export async function requireTask(remote: Remote, id: string): Promise<Task> {
  const task = await readTask(remote, id);
  if (task !== null) return task;
  throw new HubError('not_found', `${remote.name} has no task ${id.slice(0, 8)}`, {
    hint: ['its tasks are listed by: ', cliCommand('workers', '--remote', remote.name)],
  });
}

/** Takes the oldest task that the worker may run; null for none. */
export async function takeTask(
  remote: Remote,
  { hub, worker, token }: { hub: string; worker: WorkerFacts; token: string },
): Promise<Task | null> {
  const people = worker.people === '*' ? ['*'] : worker.people;
  const sql = 'SELECT cognition.task_take($1, $2, $3, $4, $5::text[], $6::text[]) AS id';
  const values = [worker.id, hub, token, worker.project, people, worker.models];
  const [row] = await remote.query<{ id: string | null }>(sql, values);
  if (row?.id == null) return null;
  const task = await readTask(remote, row.id);
  if (task !== null) return task;
  // Whoever owns the remote can write anything there.
  await endTask(remote, { task: row.id, token, how: 'failed', reason: 'it is of no known form', ...NOTHING });
  return null;
}

const NOTHING = { tip: null, price_microdollars: 0 };

/** Tells that a worker is there, and for what. */
export async function noteWorker(remote: Remote, hub: string, worker: WorkerFacts): Promise<void> {
  const { id, project, level, models, people, at_once: most } = worker;
  const who = people === null ? '' : [people].flat().join(', ');
  await remote.query('SELECT cognition.worker_seen($1, $2, $3, $4, $5, $6, $7)', [
    ...[id, hub, project, level, models.join(', '), who, most],
  ]);
}

/** Renews what a worker holds. Tells whether the task is to stop; null when it is another's. */
export async function holdTask(
  remote: Remote,
  { task, token, tip, price }: { task: string; token: string; tip: NodeId | null; price: number },
): Promise<boolean | null> {
  const sql = 'SELECT cognition.task_hold($1, $2, $3, $4) AS stop';
  const [row] = await remote.query<{ stop: string | null }>(sql, [task, token, tip, price]);
  return row?.stop == null ? null : row.stop === 't';
}

type Ending = Omit<ParsedOf<'sharing.task_end'>, 'remote' | 'tree'>;

/** Ends a task, or leaves it to the next worker. The state that it is in then; null when it is another's. */
export async function endTask(remote: Remote, ending: Ending): Promise<Task['state'] | null> {
  const { task, token, how, reason, tip, price_microdollars: price } = ending;
  const sql = 'SELECT cognition.task_end($1, $2, $3, $4, $5, $6) AS state';
  const [row] = await remote.query<{ state: Task['state'] | null }>(sql, [task, token, how, reason, tip, price]);
  return row?.state ?? null;
}

/** Ends a task at once where nobody runs it, else has its worker told. */
export async function stopTask(remote: Remote, id: string): Promise<Task['state']> {
  const { login, state } = await requireTask(remote, id);
  const [row] = await remote.query<{ state: Task['state'] | null }>('SELECT cognition.task_stop($1) AS state', [id]);
  if (row?.state != null) return row.state;
  if (state !== 'queued' && state !== 'running') return state;
  throw new HubError('unauthorised', `the task ${id.slice(0, 8)} is ${login}'s`, {
    hint: 'who asked for it, whose worker runs it, and who owns the remote can stop it',
  });
}

const NEWEST = 'ended_at IS NULL DESC, coalesce(ended_at, made_at) DESC, k.id';

/** As many rows as $1, of each login in turn: none hides those of others behind very many of its own. */
function fairly(table: 'workers' | 'tasks', which: string, order: string): string {
  return `(SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY login ORDER BY ${order}) AS place
    FROM cognition.${table} k WHERE ${which}) AS ranked ORDER BY place LIMIT $1)`;
}

/** Who works over a remote and what for. */
export async function listTasks(remote: Remote, limit: number): Promise<ResultOf<'sharing.task_list'>> {
  const workers = await remote.query<{ worker: string }>(
    `SELECT jsonb_build_object('id', w.id, 'login', w.login, 'by', ${BY}, 'project', w.project, 'level', w.level,
       'models', w.models, 'people', w.people, 'at_once', w.at_once, 'seen_at_ms', ${MS('w.seen_at')},
       'running', (SELECT count(*) FROM cognition.tasks k WHERE k.worker = w.id AND k.state = 'running')) AS worker
     FROM ${fairly('workers', "seen_at > clock_timestamp() - interval '1 minute'", 'project, id')} AS w
     LEFT JOIN cognition.hubs h ON h.id = w.hub ORDER BY w.project, w.id`,
    [limit],
  );
  const tasks = await remote.query<{ task: string }>(
    `SELECT ${TASK} || jsonb_build_object('title', left(coalesce(t.name, t.title, ''), 1000), 'own', k.login = session_user) AS task
     FROM ${fairly('tasks', 'true', NEWEST)} AS k LEFT JOIN cognition.trees t ON t.id = k.tree ORDER BY ${NEWEST}`,
    [limit],
  );
  // What is of no known form is nobody's.
  return {
    workers: workers.flatMap(({ worker }) => ListedWorker.safeParse(JSON.parse(worker)).data ?? []),
    tasks: tasks.flatMap(({ task }) => ListedTask.safeParse(JSON.parse(task)).data ?? []),
  };
}
