import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { onAbort } from '../../hub/base/abort.js';
import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { within } from '../../hub/base/wait_at_most.js';
import type { Client } from '../../hub/client/client.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';
import type { Task } from '../../hub/protocol/methods/task_methods.js';
import type { NodeId, TurnId } from '../../hub/protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { reasonOf } from '../output/failure.js';
import { newTurnId } from '../position/ids.js';
import { giveKey } from '../turn/key_command.js';
import { modelEnvironment } from '../turn/model_access.js';
import { endWords, keysOf } from '../turn/run_turn.js';
import { beginTask } from './begin_task.js';
import { addPatch } from './task_patch.js';
import { type Leaving, WORKER_LEVELS, type WorkerLevel, type WorkerPlan } from './worker_plan.js';

const RETRY_MS = 2_000;
const NOTED_MS_MAX = 2_000;

/** How a task has ended here; the state null when it is another's by now. */
export interface EndedTask {
  state: Task['state'] | null;
  reason: string | null;
  price: number;
}

type Ending = Pick<ParamsOf<'sharing.task_end'>, 'how' | 'reason' | 'tip' | 'price_microdollars'>;
type Held = 'stop' | 'lost';

interface TaskRun {
  context: Context;
  client: Client;
  plan: WorkerPlan;
  task: Task;
  turn: TurnId;
  /** What the hub has said of the task; null while it is ours. */
  held(): Held | null;
  /** Resolves when it has said so. */
  noted: Promise<void>;
  leaving: Leaving;
}

/** Runs a task that was taken, and tells the remote how it ended. */
export async function runTask(
  context: Context,
  plan: WorkerPlan,
  { task, token, leaving }: { task: Task; token: string; leaving: Leaving },
): Promise<EndedTask> {
  const client = await context.client();
  const turn = newTurnId();
  const { remote } = plan;
  const over = new AbortController();
  let held: Held | null = null;
  const holding = client.call(
    'sharing.task_hold',
    { remote, task: task.id, token, tree: task.tree, turn },
    { signal: over.signal },
  );
  const note = async (): Promise<void> => {
    // What is not held is another's soon.
    held = await holding.then(
      ({ why }) => why,
      () => 'lost',
    );
    if (!over.signal.aborted) await client.call('agent.stop', { turn });
  };
  // A turn that has ended, or not begun, need not be stopped.
  const noted = note().catch(() => undefined);
  const run: TaskRun = { context, client, plan, task, turn, held: () => held, noted, leaving };
  try {
    const ending = await workOn(run).catch((error: unknown) => endingAfter(error));
    const named = { remote, task: task.id, token, tree: task.tree };
    const state = await endTask(run, { ...named, ...ending });
    return { state, reason: ending.reason, price: ending.price_microdollars };
  } finally {
    over.abort();
    await client.call('agent.job_stop', { tree: task.tree }).catch(() => undefined); // they end with the hub
    await client.call('files.copy_remove', { turn }).catch(() => undefined); // there was none
  }
}

async function workOn(run: TaskRun): Promise<Ending> {
  const { client, plan, task, turn, leaving } = run;
  const left = budgetLeft(plan, task);
  if (left !== null && left <= 0) return ended('failed', endWords('cost'));
  const begun = await beginTask(client, plan, { task, turn });
  if ('unfit' in begun) return ended('failed', begun.unfit);
  const { node } = begun;
  if (leaving.soon.aborted) return ended('back', 'its worker was ended');
  if (run.held() === 'stop') return ended('stopped', 'a person stopped it');
  const outcome = await runTurnOf(run, node, left);
  // The hub stops the turn before it says why.
  if (outcome.why === 'asked' && !leaving.soon.aborted) await within(NOTED_MS_MAX, run.noted);
  const ending = endingOf(run, outcome);
  const tip =
    ending.how === 'done' || ending.how === 'failed'
      ? await addPatch(client, plan, { task, node, tip: outcome.tip })
      : outcome.tip;
  return { ...ending, tip };
}

async function runTurnOf(run: TaskRun, node: NodeId, cost: number | null): Promise<TurnOutcome> {
  const { context, client, plan, task, turn, leaving } = run;
  const keys = keysOf(context, plan.options);
  const stop = (): void => detach(client.call('agent.stop', { turn }), () => undefined);
  const onEvent = (event: AgentEvent): void => {
    if (event.kind === 'key_wanted') detach(giveKey(keys, client, event), () => undefined);
    // A step that is under way is ended first.
    if (run.held() !== null || (leaving.soon.aborted && event.kind === 'step_committed')) stop();
  };
  const { limits, change } = plan.options;
  const params = {
    ...plan.options,
    ...{ id: turn, tree: task.tree, node, cwd: plan.project, environment: modelEnvironment(), gives_keys: true },
    change: { web: false, ...change, model: task.model ?? plan.model, level: lowerLevel(plan.facts.level, task.level) },
    limits: { ...limits, cost_microdollars: cost },
  };
  const stopListening = onAbort(leaving.now, stop);
  return client.stream('agent.run', params, { onEvent }).finally(stopListening);
}

/** The least of what the task asks for and the worker gives, without what was paid for it before. */
function budgetLeft({ options }: WorkerPlan, task: Task): number | null {
  const limits = [options.limits.cost_microdollars, task.cost_microdollars].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits) - task.price_microdollars;
}

/** The lower of two levels; a worker has nobody to ask, so what would ask only looks. */
function lowerLevel(own: WorkerLevel, wanted: Task['level']): WorkerLevel {
  const rank = WORKER_LEVELS.findIndex((level) => level === (wanted ?? own));
  return WORKER_LEVELS[Math.min(Math.max(rank, 0), WORKER_LEVELS.indexOf(own))] ?? own;
}

function endingOf({ held, leaving }: TaskRun, outcome: TurnOutcome): Ending {
  const facts = { tip: outcome.tip, price_microdollars: outcome.price_microdollars ?? 0 };
  const as = (how: Ending['how'], reason: string | null): Ending => ({ how, reason, ...facts });
  if (held() === 'stop') return as('stopped', 'a person stopped it');
  if (outcome.state === 'done') return as('done', null);
  if (outcome.state === 'waiting') {
    return as('failed', `it asks: ${outcome.questions.map(({ question }) => question).join(' ')}`.slice(0, 1_000));
  }
  if (outcome.failure !== null) return as('retry', outcome.failure.message.slice(0, 1_000));
  if (outcome.why === 'asked')
    return leaving.soon.aborted ? as('back', 'its worker was ended') : as('stopped', 'it was stopped where it ran');
  if (outcome.why === null || outcome.why === 'hub_ended') return as('lost', 'the hub of its worker ended');
  return as('failed', endWords(outcome.why));
}

function ended(how: Ending['how'], reason: string): Ending {
  return { how, reason, tip: null, price_microdollars: 0 };
}

function endingAfter(error: unknown): Ending {
  const isAway = error instanceof HubError && ['unreachable', 'network'].includes(error.kind);
  return ended(isAway ? 'lost' : 'retry', reasonOf(error).slice(0, 1_000));
}

/** Ends it at the remote, as soon as that can be reached; until then the task is ours. */
async function endTask(
  { client, held, leaving }: TaskRun,
  ending: ParamsOf<'sharing.task_end'>,
): Promise<Task['state'] | null> {
  while (held() !== 'lost') {
    try {
      return (await client.call('sharing.task_end', ending)).state;
    } catch (error) {
      if (!(error instanceof HubError && ['network', 'unreachable'].includes(error.kind))) throw error;
      // Then its lease ends by itself.
      if (leaving.now.aborted) return null;
      await pause(RETRY_MS);
    }
  }
  return null;
}

/** What a worker proves by that a task is its own. */
export function newToken(): string {
  return randomUUID();
}
