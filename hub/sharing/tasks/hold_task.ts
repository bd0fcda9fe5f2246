import { setTimeout as pause } from 'node:timers/promises';
import { detach } from '../../base/detach.js';
import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { CallContext, HubCalls, HubResolve } from '../../base/plugin.js';
import type { ParsedOf, ResultOf } from '../../protocol/methods/method_table.js';
import type { NodeId } from '../../protocol/node.js';
import type { Remote } from '../remote_connection.js';
import { endTask, holdTask } from './task_rows.js';

/** How often a turn is looked at; how often its lease is renewed at least, and when it is over: 5 s before others may take it. */
const PACE_MS = 500;
const RENEW_MS = 2_000;
const LEASE_MS = 25_000;

/** Connects to a remote beside what else is done there: a lease cannot wait for a large tree. */
export type Beside = <T>(
  name: string,
  context: CallContext,
  use: (remote: Remote, reach: InternalCaller) => Promise<T>,
) => Promise<T>;

type Holding = ParsedOf<'sharing.task_hold'>;
type Held = ResultOf<'sharing.task_hold'>;

/** Keeps a task while a turn runs for it. Whatever ends that ends the turn: what another may take up does not run on here. */
export async function holdWhileRunning(
  hub: HubCalls & HubResolve,
  { beside, context }: { beside: Beside; context: CallContext },
  holding: Holding,
): Promise<Held> {
  const { turn } = holding;
  // It outlives the call.
  const lasting = { hub, context: { ...context, signal: new AbortController().signal } };
  try {
    return await hold({ hub, context }, beside, holding);
  } catch (error) {
    // Its caller has gone: what is not ended yet is left to the next worker.
    if (context.signal.aborted) await stopTurn(lasting, turn).then(() => giveUp(lasting, beside, holding));
    throw error;
  } finally {
    await stopTurn(lasting, turn);
  }
}

async function hold(reach: InternalCaller, beside: Beside, holding: Holding): Promise<Held> {
  const { signal } = reach.context;
  const steps = followSteps(reach, holding);
  let heldAtMs = Date.now();
  for (let dueMs = 0; ; ) {
    await steps.look();
    const nowMs = Date.now();
    if (steps.hasNews() || nowMs >= dueMs) {
      const leftMs = Math.max(1, heldAtMs + LEASE_MS - nowMs);
      const stop = await renew(reach, beside, { holding, told: steps.tell(), leftMs });
      if (stop === true) return { why: 'stop' };
      // Where the remote is away the lease runs on.
      if (stop === false) heldAtMs = nowMs;
      if (stop === null || Date.now() - heldAtMs >= LEASE_MS) return { why: 'lost' };
      dueMs = nowMs + RENEW_MS;
    }
    await pause(PACE_MS, undefined, { signal });
  }
}

interface Told {
  /** The last node that is at the remote. */
  tip: NodeId | null;
  price: number;
}

/** Tells whether the task is to stop, null when it is another's; a remote that is away may be back before the lease is over. */
async function renew(
  reach: InternalCaller,
  beside: Beside,
  { holding, told, leftMs }: { holding: Holding; told: Told; leftMs: number },
): Promise<boolean | null | 'away'> {
  const { remote: name, task, token } = holding;
  const signal = AbortSignal.any([reach.context.signal, AbortSignal.timeout(leftMs)]);
  try {
    return await beside(name, { ...reach.context, signal }, (remote) => holdTask(remote, { task, token, ...told }));
  } catch (error) {
    return whenAway(error, reach.context.signal);
  }
}

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
async function giveUp(reach: InternalCaller, beside: Beside, holding: Holding): Promise<void> {
  const { remote: name, task, token } = holding;
  const ending = {
    task,
    token,
    how: 'lost',
    reason: 'the worker ended while it ran it',
    tip: null,
    price_microdollars: 0,
  } as const;
  await beside(name, reach.context, (remote) => endTask(remote, ending)).catch(() => undefined);
}
