import { HubError } from '../../base/error.js';
import { type InternalCaller, ownContext } from '../../base/internal_call.js';
import type { HubCalls, HubResolve } from '../../base/plugin.js';
import { type NodeId, type TreeId, TurnId } from '../../protocol/node.js';
import type { AgentEvent, TurnOutcome, TurnReason } from '../../protocol/turn.js';
import type { AgentParts } from '../agent_parts.js';
import type { Transcripts } from '../exports/transcripts.js';
import type { Jobs } from '../jobs/jobs.js';
import { createParkedTurns, type ParkedTurns } from './answer_parked_turn.js';
import { beginTurn } from './begin_turn.js';
import { beginCompaction, runCompaction, withSummary } from './compaction_turn.js';
import { pastOutcome, runToEnd } from './end_turn.js';
import { createHeldTurns, type HeldTurns } from './held_turns.js';
import { resumeSteps, runSteps } from './loop.js';
import { beginOutside, type OutsideTurn, resumeOutside, runOutside } from './outside_turn.js';
import { resumeTurn, type StoredAnswer } from './parked_turn.js';
import { type Errand, type RunningTurn, startTurn } from './running_turn.js';
import {
  type AnswerParams,
  type Brought,
  type CompactParams,
  createBroughtParams,
  type RunParams,
} from './turn_params.js';
import type { TurnEnd, TurnParking, TurnWork } from './turn_work.js';

/** How many turns may run at once. */
const RUNNING_MAX = 64;

type TurnParts = AgentParts & { transcripts: Transcripts };

/** The turns that run in this hub. */
export interface RunningTurns extends ParkedTurns {
  all(): RunningTurn[];
  get(id: TurnId): RunningTurn | null;
  /** Begins a turn, or returns the one that runs under this id; with an errand it is a sub-session's. */
  run(params: RunParams, errand?: Errand): RunningTurn;
  /** Begins to summarise a path, or returns the turn that does so under this id. */
  compact(params: CompactParams): RunningTurn;
  /** The outcome of a turn that does not run any more; null when there is none of this id. */
  past(id: TurnId): Promise<TurnOutcome | null>;
  /** With what a turn that waits ran until then; null when that was in a hub before this one. */
  brought(id: TurnId): Brought | null;
  /** Calls back for every turn that begins; returns what ends that. */
  onBegin(tell: (turn: RunningTurn) => void): () => void;
  /** Calls back for what happens to turns that wait; returns what ends that. */
  onWaiting(tell: (tree: TreeId, event: AgentEvent) => void): () => void;
  /** Those that wait while their agents wait for the answer. */
  held: Pick<HeldTurns, 'count' | 'get'>;
  /** Ends all of them, keeping what was said, and begins no more. */
  end(): Promise<void>;
}

export function createTurns(hub: HubCalls & HubResolve, parts: TurnParts): RunningTurns {
  const running = new Map<TurnId, RunningTurn>();
  const watchers = new Set<(turn: RunningTurn) => void>();
  const waitingWatchers = new Set<(tree: TreeId, event: AgentEvent) => void>();
  let isEnding = false;

  const lasting = (): InternalCaller => ({ hub, context: ownContext(new AbortController().signal) });
  const held = createHeldTurns(parts.timers, ({ turn }) => begin(turn, null, (own) => kinds.endHeld(own)));
  const kinds = kindsOfTurns(parts, { lasting, run, held });
  const shareCost = createShared();

  function refuseMore(): void {
    if (isEnding) throw new HubError('cancelled', 'the hub is ending', { retryable: true });
    if (running.size >= RUNNING_MAX) throw tooMany();
  }

  /** Runs a turn under an id, unless it runs already. */
  function begin(
    { id = TurnId.parse(parts.newId()), tree, node, limits = null }: Begun,
    errand: Errand | null,
    toItsEnd: (turn: RunningTurn) => Promise<TurnOutcome>,
  ): RunningTurn {
    const known = running.get(id);
    if (known !== undefined) return known;
    if (held.get(id) === null) refuseMore();
    const turn = startTurn({ id, tree, node, startedAtMs: parts.timers.nowMs(), errand }, (own) =>
      endingJobs(parts.jobs, own, toItsEnd(own)).finally(() => void running.delete(id)),
    );
    shareCost(turn, limits);
    running.set(id, turn);
    for (const tell of watchers) tell(turn);
    return turn;
  }

  function run(params: RunParams, errand: Errand | null = null): RunningTurn {
    return begin(params, errand, (own) => kinds.work(own, params));
  }

  return {
    held,
    brought: kinds.brought.of,
    all: () => [...running.values()],
    get: (id) => running.get(id) ?? null,
    past: (id) => pastOutcome(lasting(), id),
    run,
    compact: (params) => begin(params, null, (own) => kinds.summarise(own, params)),
    ...createParkedTurns({
      reach: lasting,
      ...{ refuseIfFull: refuseMore, get: (id) => running.get(id) ?? null },
      resume: (kept, { limits, ...params }) =>
        begin({ ...kept.record.turn, limits }, null, (own) => kinds.goOn(own, { ...params, limits }, kept)),
      stopHeld: (id) => held.stop(id, 'asked'),
      emit(tree, event) {
        if (event.kind === 'turn_ended') kinds.brought.forget(event.turn);
        for (const tell of waitingWatchers) tell(tree, event);
      },
    }),
    onWaiting: (tell) => addTo(waitingWatchers, tell),
    onBegin: (tell) => addTo(watchers, tell),
    async end() {
      for (const id of held.ids()) held.stop(id, 'hub_ended');
      isEnding = true;
      await stopAll([...running.values()]);
    },
  };
}

async function stopAll(turns: readonly RunningTurn[]): Promise<void> {
  for (const turn of turns) turn.stop('hub_ended');
  await Promise.allSettled(turns.map((turn) => turn.outcome));
}

/** Returns what takes it out again. */
function addTo<T>(watchers: Set<T>, tell: T): () => void {
  watchers.add(tell);
  return () => void watchers.delete(tell);
}

type Begun = Pick<RunParams, 'id' | 'tree' | 'node'> & { limits?: RunParams['limits'] | null };

/** What turns have cost together, by the node that they begin at. */
function createShared(): (turn: RunningTurn, limits: RunParams['limits'] | null) => void {
  const sums = new Map<NodeId, { price: number }>();
  return ({ node, spending }, limits) => {
    if (limits?.cost_shared !== true) return;
    const sum = sums.get(node) ?? { price: 0 };
    sums.set(node, sum);
    spending.shared = sum;
  };
}

const LIMITS: readonly (TurnReason | null)[] = ['iterations', 'tokens', 'cost', 'time'];

/** Ends the jobs of a tree with a turn that has reached a limit, and those of a sub-session with any turn of it. */
async function endingJobs(jobs: Jobs, { tree, errand }: RunningTurn, work: Promise<TurnOutcome>): Promise<TurnOutcome> {
  const outcome = await work.catch(async (error: unknown) => {
    if (errand !== null) await jobs.stop(jobs.list(tree), 'the end of its sub-session');
    throw error;
  });
  if (LIMITS.includes(outcome.why)) await jobs.stop(jobs.list(tree), 'a limit of the turn');
  else if (errand !== null) await jobs.stop(jobs.list(tree), 'the end of its sub-session');
  return outcome;
}

/** Runs each kind of turn from its beginning to its end. A stop cuts off only requests and calls; the rest ends in order. */
function kindsOfTurns(
  parts: TurnParts,
  { lasting, run, held }: { lasting(): InternalCaller; run: RunningTurns['run']; held: HeldTurns },
) {
  const brought = createBroughtParams();

  async function work(turn: RunningTurn, params: RunParams): Promise<TurnOutcome> {
    const before = params.id === undefined ? null : await pastOutcome(lasting(), turn.id);
    if (before !== null) return before;
    const reach = lasting();
    if (params.outside !== null) {
      const outside = await beginOutside({ reach, parts, turn }, params, params.outside);
      return runOrHold(outside, () => runOutside(outside));
    }
    const openTranscript = await parts.transcripts.prepare(params.transcript, turn);
    const begun = await beginTurn({ reach, parts, turn, run, resumed: null }, params);
    const completeTranscript = openTranscript(begun);
    return await runToEnd(begun, parts, () => tellingLeft(begun, runSteps(begun))).finally(completeTranscript);
  }

  async function summarise(turn: RunningTurn, params: CompactParams): Promise<TurnOutcome> {
    const reach = lasting();
    const before = params.id === undefined ? null : await pastOutcome(lasting(), turn.id);
    if (before !== null) return withSummary(reach, before);
    const begun = await beginCompaction({ reach, parts, turn }, params);
    return await runToEnd(begun, parts, () => runCompaction(begun));
  }

  /** While its agent waits for a person what it leaves in the project is not told yet. */
  async function runOrHold(outside: OutsideTurn, exchange: () => Promise<TurnEnd | TurnParking>): Promise<TurnOutcome> {
    return await runToEnd(outside, parts, async () => {
      const end = await exchange().catch(async (error: unknown) => tellingLeft(outside, Promise.reject(error)));
      if (end.state !== 'parked') return tellingLeft(outside, Promise.resolve(end));
      held.hold(outside);
      return end;
    });
  }

  /** Lets the agent of a turn go on in another run of that. */
  async function goOnOutside(turn: RunningTurn, outside: OutsideTurn, said: StoredAnswer | null): Promise<TurnOutcome> {
    const { node, tip, model, level } = outside.turn;
    Object.assign(turn, { node, tip, model, level });
    outside.turn = turn;
    return runOrHold(outside, () => resumeOutside(outside, said));
  }

  async function goOn(turn: RunningTurn, params: AnswerParams, kept: StoredAnswer): Promise<TurnOutcome> {
    const outside = held.take(turn.id);
    if (outside !== null) return goOnOutside(turn, outside, kept);
    const reach = lasting();
    const { work, calls } = await resumeTurn({ reach, parts, turn, run }, params, kept);
    const openTranscript = await parts.transcripts.prepare(null, turn);
    const completeTranscript = openTranscript(work);
    return await runToEnd(work, parts, () => tellingLeft(work, resumeSteps(work, calls))).finally(completeTranscript);
  }

  async function endHeld(turn: RunningTurn): Promise<TurnOutcome> {
    const outside = held.take(turn.id);
    if (outside === null) throw new HubError('internal', `no agent waits for the turn ${turn.id}`);
    return goOnOutside(turn, outside, null);
  }

  return {
    work: (turn: RunningTurn, params: RunParams) => brought.keep(turn.id, params, work(turn, params)),
    goOn: (turn: RunningTurn, params: AnswerParams, kept: StoredAnswer) =>
      brought.keep(turn.id, params, goOn(turn, params, kept)),
    ...{ summarise, endHeld, brought },
  };
}

/** Tells, before its end, what a turn has left in the project. */
async function tellingLeft<T>({ turn, watch }: Pick<TurnWork, 'turn' | 'watch'>, steps: Promise<T>): Promise<T> {
  try {
    return await steps;
  } finally {
    const lines = await watch.end();
    if (lines.length > 0) turn.emit({ kind: 'project_noted', turn: turn.id, lines: [...lines] });
  }
}

function tooMany(): HubError {
  return new HubError('limit', `${RUNNING_MAX} turns are running already`, {
    hint: 'wait for one to end, or stop one',
    retryable: true,
  });
}
