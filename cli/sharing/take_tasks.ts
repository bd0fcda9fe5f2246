import { setTimeout as pause } from 'node:timers/promises';
import { HubError } from '../../hub/base/error.js';
import type { Task } from '../../hub/protocol/methods/task_methods.js';
import type { Context } from '../command_line/command_context.js';
import { takeSignals } from '../command_line/interruption.js';
import { EXIT, reasonOf } from '../output/failure.js';
import { cleanLine } from '../render/text/clean.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { type EndedTask, newToken, runTask } from './run_task.js';
import type { Leaving, WorkerPlan } from './worker_plan.js';

/** How long the hub waits for a task before it is asked anew; how long a remote that is away is left alone. */
const WAIT_MS = 20_000;
const BACKOFF_MS_MAX = 30_000;

/** Takes tasks and runs them until a signal: the first Ctrl-C ends each after its running step; SIGTERM stops and gives back all at once. */
export async function runWorker(context: Context, plan: WorkerPlan): Promise<number> {
  const [soon, now] = [new AbortController(), new AbortController()];
  const release = takeSignals((signal) => {
    if (soon.signal.aborted) process.exit(signal);
    const isNow = signal !== EXIT.interrupted;
    context.note(
      isNow
        ? 'It stops what is running and gives it back.'
        : 'It ends after the steps that are running. Once more to end at once.',
    );
    soon.abort();
    if (isNow) now.abort();
  });
  const leaving: Leaving = { soon: soon.signal, now: now.signal };
  const running = new Set<Promise<void>>();
  try {
    const taking = createTaking(context, plan, leaving.soon);
    while (!leaving.soon.aborted) {
      if (running.size >= plan.facts.at_once) await Promise.race(running);
      const taken = leaving.soon.aborted ? null : await taking();
      if (taken === null) continue;
      const work = report(context, plan, { ...taken, leaving }).finally(() => running.delete(work));
      running.add(work);
    }
    await Promise.all(running);
  } finally {
    release();
  }
  // It was asked to end, and has.
  return 0;
}

interface Taken {
  task: Task;
  token: string;
}

/** Takes the next task; null when there was none, or the remote is away, which is told once. */
function createTaking(
  context: Context,
  { remote, facts }: WorkerPlan,
  signal: AbortSignal,
): () => Promise<Taken | null> {
  let token = newToken();
  let backoffMs = 0;
  const take = async (): Promise<Taken | null> => {
    const client = await context.client();
    const params = { remote, token, worker: facts, wait_ms: WAIT_MS };
    const { task } = await client.call('sharing.task_take', params, { signal });
    if (backoffMs > 0) context.note(`${remote} is there again.`);
    backoffMs = 0;
    return task === null ? null : { task, token };
  };
  const waitAfter = async (error: unknown): Promise<void> => {
    if (!(error instanceof HubError && ['network', 'unreachable'].includes(error.kind))) throw error;
    if (backoffMs === 0) context.note(`${reasonOf(error)}; it tries again.`);
    backoffMs = Math.min(BACKOFF_MS_MAX, Math.max(1_000, backoffMs * 2));
    await pause(backoffMs, undefined, { signal }).catch(() => undefined); // it is to end
  };
  return async () => {
    try {
      const taken = await take();
      if (taken !== null) token = newToken();
      return taken;
    } catch (error) {
      if (!signal.aborted) await waitAfter(error);
      return null;
    }
  };
}

async function report(context: Context, plan: WorkerPlan, taken: Taken & { leaving: Leaving }): Promise<void> {
  const { task } = taken;
  const { id, login, tree, former } = task;
  await tell(
    context,
    { kind: 'task_started', task: id, tree, login, again: former !== null },
    `${shortId(id)}  ${login}  ${shortId(tree)}  begins`,
  );
  const end = await runTask(context, plan, taken).catch(
    (error: unknown): EndedTask => ({ state: null, reason: reasonOf(error), price: 0 }),
  );
  const { state, reason, price } = end;
  const words = [
    state ?? 'not ours any more',
    ...(reason === null ? [] : [reason]),
    `$${(price / 1_000_000).toFixed(4)}`,
  ];
  await tell(
    context,
    { kind: 'task_ended', task: id, tree, ...end },
    `${shortId(id)}  ${login}  ${shortId(tree)}  ${words.join(', ')}`,
  );
}

async function tell(context: Context, event: object, line: string): Promise<void> {
  if (context.json) await context.printJson(event);
  else await context.out.write(`${cleanLine(line)}\n`);
}
