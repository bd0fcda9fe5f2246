import { detach } from '../../base/detach.js';
import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { CallContext, HubCalls, HubResolve } from '../../base/plugin.js';
import type { ParsedOf, ResultOf } from '../../protocol/methods/method_table.js';
import type { NodeId } from '../../protocol/node.js';
import { announceTask, QUEUE, type TaskLines } from './task_lines.js';
import { endTask, holdTask } from './task_rows.js';

/** How often a turn is looked at, here; and when its lease is over: 5 s before others may take it. */
const PACE_MS = 500;
const LEASE_MS = 25_000;
/** How long renewing it may take before the connection is taken for cut. */
const RENEW_MS_MAX = 8_000;

type Holding = ParsedOf<'sharing.task_hold'>;
type Held = ResultOf<'sharing.task_hold'>;

/** Keeps a task while a turn runs for it. Whatever ends that ends the turn: what another may take up does not run on here. */
export async function holdWhileRunning(
  hub: HubCalls & HubResolve,
  { lines, context }: { lines: TaskLines; context: CallContext },
  holding: Holding,
): Promise<Held> {
  const { turn } = holding;
  // It outlives the call.
  const lasting = { hub, context: { ...context, signal: new AbortController().signal } };
  try {
    return await hold({ hub, context }, lines, holding);
  } catch (error) {
    // Its caller has gone: what is not ended yet is left to the next worker.
    if (context.signal.aborted) await stopTurn(lasting, turn).then(() => giveUp(lasting, lines, holding));
    throw error;
  } finally {
    await stopTurn(lasting, turn);
  }
}

async function hold(reach: InternalCaller, lines: TaskLines, holding: Holding): Promise<Held> {
  const { remote: name, task } = holding;
  const { signal } = reach.context;
  const steps = followSteps(reach, holding);
  const lease = createLease(reach, lines, { holding, steps });
  const news = lines.sleepUntil({ name, what: task, signal });
  let dueMs = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      await steps.look();
      if (steps.hasNews() || Date.now() >= dueMs) {
        dueMs = Date.now() + lines.pollMs(name);
        const why = await lease.renew();
        if (why !== null) return { why };
      }
      if (!(await news.wait(PACE_MS))) dueMs = 0;
    }
  } finally {
    news.end();
  }
}

function createLease(reach: InternalCaller, lines: TaskLines, { holding, steps }: { holding: Holding; steps: Steps }) {
  let heldAtMs = Date.now();
  return {
    /** Tells why the task is to be left, null while it is not. */
    async renew(): Promise<Held['why'] | null> {
      const nowMs = Date.now();
      const leftMs = Math.max(1, heldAtMs + LEASE_MS - nowMs);
      const stop = await renew(reach, lines, { holding, steps, leftMs });
      if (stop === true) return 'stop';
      // Where the remote is away the lease runs on.
      if (stop === false) heldAtMs = nowMs;
      return stop === null || Date.now() - heldAtMs >= LEASE_MS ? 'lost' : null;
    },
  };
}

interface Told {
  /** The last node that is at the remote. */
  tip: NodeId | null;
  price: number;
}

/** Tells whether the task is to stop, null when it is another's; a remote that is away may be back before the lease is over. */
async function renew(
  reach: InternalCaller,
  lines: TaskLines,
  { holding, steps, leftMs }: { holding: Holding; steps: Steps; leftMs: number },
): Promise<boolean | null | 'away'> {
  const { remote: name, task, token } = holding;
  const hasNews = steps.hasNews();
  const told = steps.tell();
  const late = AbortSignal.timeout(Math.min(leftMs, RENEW_MS_MAX));
  const context = { ...reach.context, signal: AbortSignal.any([reach.context.signal, late]) };
  try {
    return await lines.use(name, context, async (remote) => {
      const stop = await holdTask(remote, { task, token, ...told });
      if (hasNews) await announceTask(remote, task);
      return stop;
    });
  } catch (error) {
    if (late.aborted) lines.drop(name);
    return whenAway(error, reach.context.signal);
  }
}

type Steps = ReturnType<typeof followSteps>;

/** Sends the steps of a turn as they are made. Nothing waits for it: the connection may be in use for a large tree. */
function followSteps(reach: InternalCaller, { remote, tree, turn }: Holding) {
  const told: Told = { tip: null, price: 0 };
  let [isSending, hasNews] = [false, false];
  const send = async (tip: NodeId): Promise<void> => {
    try {
      const { trees } = await callHub(reach, 'sharing.sync', {
        remote,
        tree,
        sends: true,
        fetches: false,
        files: null,
      });
      if (trees.some(({ problem }) => problem !== null)) return;
      told.tip = tip;
      hasNews = true;
    } finally {
      isSending = false;
    }
  };
  return {
    hasNews: () => hasNews,
    tell: (): Told => {
      hasNews = false;
      return { ...told };
    },
    async look(): Promise<void> {
      // The tree may not be here yet.
      const { turns } = await callHub(reach, 'agent.status', { tree: null });
      const running = turns.find((one) => one.turn === turn);
      if (running === undefined) return;
      told.price = running.price_microdollars ?? 0;
      if (isSending || running.tip === told.tip) return;
      isSending = true;
      // What could not be sent is sent next time.
      detach(send(running.tip), () => undefined);
    },
  };
}

function whenAway(error: unknown, signal: AbortSignal): 'away' {
  if (!signal.aborted && error instanceof HubError && ['network', 'cancelled'].includes(error.kind)) return 'away';
  throw error;
}

/** A turn that has ended, or not begun, need not be stopped. */
async function stopTurn(reach: InternalCaller, turn: Holding['turn']): Promise<void> {
  await callHub(reach, 'agent.stop', { turn }).catch(() => undefined);
}

/** Without it the lease ends by itself. */
async function giveUp(reach: InternalCaller, lines: TaskLines, holding: Holding): Promise<void> {
  const { remote: name, task, token } = holding;
  const ending = {
    task,
    token,
    how: 'lost',
    reason: 'the worker ended while it ran it',
    tip: null,
    price_microdollars: 0,
  } as const;
  const giving = lines.use(name, reach.context, async (remote) => {
    await endTask(remote, ending);
    await announceTask(remote, QUEUE);
  });
  await giving.catch(() => undefined);
}
