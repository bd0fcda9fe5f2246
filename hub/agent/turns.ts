import { asked, type Reach } from '../context/reach.js';
import { HubError } from '../error.js';
import type { CallContext, HubCalls, HubResolve } from '../plugin.js';
import { type NodeId, TurnId } from '../protocol/node.js';
import type { TurnOutcome } from '../protocol/turn.js';
import { type AgentParts, beginTurn, type RunParams } from './beginning.js';
import { textIn } from './calling.js';
import { runSteps, type TurnEnd, type TurnWork } from './loop.js';
import { type RunningTurn, startRunning } from './running.js';
import { timeLimitMs } from './spending.js';

/** How many turns may run at once. */
const RUNNING_MAX = 64;

/** The turns that run in this hub. */
export interface RunningTurns {
  all(): RunningTurn[];
  get(id: TurnId): RunningTurn | null;
  /** Begins a turn, or returns the one that runs under this id. */
  run(params: RunParams): RunningTurn;
  /** What a turn came to that runs no more; null when there is none of this id. */
  past(id: TurnId): Promise<TurnOutcome | null>;
  /** Calls back for every turn that begins; returns what ends that. */
  onBegin(tell: (turn: RunningTurn) => void): () => void;
  /** Ends all of them, keeping what was said, and begins no more. */
  end(): Promise<void>;
}

export function createTurns(hub: HubCalls & HubResolve, parts: AgentParts): RunningTurns {
  const running = new Map<TurnId, RunningTurn>();
  const watchers = new Set<(turn: RunningTurn) => void>();
  let isEnding = false;

  const reachWith = (signal: AbortSignal): Reach => ({ hub, context: { ...INTERNAL, signal } });

  async function work(turn: RunningTurn, params: RunParams): Promise<TurnOutcome> {
    try {
      const before = params.id === undefined ? null : await past(turn.id);
      if (before !== null) return before;
      // What is under way is brought to its end in order: only requests and calls are cut off.
      const reach = reachWith(new AbortController().signal);
      const begun = await beginTurn({ reach, parts, turn }, params);
      return await runToEnd(begun, parts);
    } finally {
      running.delete(turn.id);
    }
  }

  async function past(id: TurnId): Promise<TurnOutcome | null> {
    const reach = reachWith(new AbortController().signal);
    const found = await asked(reach, 'loom.turn_get', { turn: id }).catch((error: unknown) => {
      if (error instanceof HubError && error.kind === 'not_found') return null;
      throw error;
    });
    if (found === null) return null;
    const { turn } = found;
    const { node } = await asked(reach, 'loom.node_get', { node: turn.tip, tree: null });
    return {
      ...{ turn: turn.id, tree: turn.tree, state: turn.state, why: null, failure: null, tip: turn.tip },
      text: turn.tip === turn.node || node.role !== 'assistant' ? '' : textIn(node.blocks),
      ...{ usage: null, price_microdollars: null },
    };
  }

  return {
    all: () => [...running.values()],
    get: (id) => running.get(id) ?? null,
    past,
    run(params) {
      const id = params.id ?? TurnId.parse(parts.newId());
      const known = running.get(id);
      if (known !== undefined) return known;
      if (isEnding) throw new HubError('cancelled', 'the hub is ending', { retryable: true });
      if (running.size >= RUNNING_MAX) throw tooMany();
      const begun = { id, tree: params.tree, node: params.node, startedAtMs: parts.timers.nowMs() };
      const turn = startRunning(begun, (own) => work(own, params));
      running.set(id, turn);
      for (const tell of watchers) tell(turn);
      return turn;
    },
    onBegin(tell) {
      watchers.add(tell);
      return () => void watchers.delete(tell);
    },
    async end() {
      isEnding = true;
      const ending = [...running.values()];
      for (const turn of ending) turn.stop('hub_ended');
      await Promise.allSettled(ending.map((turn) => turn.outcome));
    },
  };
}

const INTERNAL: Omit<CallContext, 'signal'> = {
  caller: { kind: 'internal' },
  emit: () => undefined,
  hasRoom: () => true,
  drained: () => Promise.resolve(),
};

/** Runs a turn that is open until it is closed, whatever happens. */
async function runToEnd(work: TurnWork, parts: AgentParts): Promise<TurnOutcome> {
  const { turn, reach, path } = work;
  const firstOwn = path.length;
  const stopTimer = parts.timers.startTimer(timeLimitMs(work.limits), () => turn.stop('time'));
  let end: TurnEnd;
  try {
    end = await runSteps(work);
  } catch (error) {
    end = { state: 'failed', why: 'failed', failure: failureFrom(error, parts) };
  } finally {
    stopTimer();
  }
  turn.activity = 'ending';
  turn.step = null;
  const { tip } = await asked(reach, 'loom.turn_end', { turn: turn.id, state: end.state });
  turn.tip = await keepLateInputs(work, tip);
  const outcome = outcomeOf(work, end, firstOwn);
  turn.tell({ kind: 'turn_ended', turn: turn.id, outcome });
  return outcome;
}

function failureFrom(error: unknown, { log }: AgentParts): HubError {
  if (error instanceof HubError) return error;
  // Not its message, which may repeat what it was given.
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line)) : [];
  const name = error instanceof Error ? error.name : typeof error;
  log('error', `a turn failed unexpectedly: ${[name, ...frames.slice(0, 10)].join('\n')}`);
  return new HubError('internal', 'the turn failed unexpectedly', {
    hint: 'the reason is in the log: cognition hub logs',
    cause: error,
  });
}

/**
 * What people said must not be lost when a turn ends before it has taken that: it becomes messages below the end, which the
 * next turn answers.
 */
async function keepLateInputs({ reach, turn }: TurnWork, end: NodeId): Promise<NodeId> {
  const { inputs } = await asked(reach, 'loom.turn_get', { turn: turn.id });
  if (inputs.length === 0) return end;
  let tip = end;
  for (const { id, blocks } of inputs) {
    const message = { id, tree: turn.tree, parent: tip, role: 'user' as const, blocks, settings: null };
    tip = (await asked(reach, 'loom.node_create_text', message)).node.id;
  }
  // Only now: whatever happens meanwhile, what was said is somewhere.
  await asked(reach, 'loom.input_drop', { turn: turn.id, inputs: inputs.map(({ id }) => id) });
  return tip;
}

function outcomeOf({ turn, path }: TurnWork, { state, why, failure }: TurnEnd, firstOwn: number): TurnOutcome {
  const { usage, price } = turn.spending;
  const last = path.slice(firstOwn).findLast(({ role }) => role === 'assistant');
  return {
    ...{ turn: turn.id, tree: turn.tree, state, why, tip: turn.tip },
    failure: failure === null ? null : { message: failure.message, data: failure.data },
    text: textIn(last?.blocks ?? []),
    ...{ usage, price_microdollars: usage === null ? null : price },
  };
}

function tooMany(): HubError {
  return new HubError('limit', `${RUNNING_MAX} turns are running already`, {
    hint: 'wait for one to end, or stop one',
    retryable: true,
  });
}
