import type { NodeId, TreeId, TurnId } from '../../protocol/node.js';
import type { AgentEvent, Level, TurnOutcome, TurnReason } from '../../protocol/turn.js';
import { type Answer, newAnswer } from '../request/answer.js';
import { newSpending, type Spending } from '../request/spending.js';
import { createWantedKeys, type WantedKeys } from './wanted_keys.js';

type Snapshot = Extract<AgentEvent, { kind: 'turn_snapshot' }>;
export type CallUnderWay = NonNullable<Snapshot['step']>['calls'][number];

/** The step under way of a turn. */
export interface StepUnderWay {
  id: NodeId;
  answer: Answer;
  calls: CallUnderWay[];
}

/** A receiver of the events of a turn. */
export interface Listener {
  emit(event: AgentEvent): void;
  /** False while it is behind with reading: then it misses what can be read elsewhere. */
  hasRoom(): boolean;
}

export type Activity = 'starting' | 'compacting' | 'waiting' | 'answering' | 'calling' | 'retrying' | 'ending';

/** What a sub-session does for its parent. */
export interface Errand {
  /** The turn and the call that wait for it. */
  parent: { turn: TurnId; call: string };
  /** The first words of its task. */
  task: string;
}

/** A turn that runs in this hub, for all who watch or stop it. */
export interface RunningTurn {
  readonly id: TurnId;
  readonly tree: TreeId;
  readonly startedAtMs: number;
  /** Null for a turn that a person began. */
  readonly errand: Errand | null;
  node: NodeId;
  tip: NodeId;
  model: string;
  level: Level;
  activity: Activity;
  step: StepUnderWay | null;
  /** With that of its sub-sessions. */
  spending: Spending;
  /** Aborted when it is to end now. */
  signal: AbortSignal;
  /** Ends it now; the first reason counts. */
  stop(why: TurnReason): void;
  stoppedBy(): TurnReason | null;
  emit(event: AgentEvent): void;
  /** What its sub-sessions want of its caller. */
  readonly keys: WantedKeys;
  /** Sends a snapshot, then each event; returns what ends that. */
  follow(listener: Listener): () => void;
  /** Fails when the turn could not begin. */
  outcome: Promise<TurnOutcome>;
}

type TurnStart = Pick<RunningTurn, 'id' | 'tree' | 'node' | 'startedAtMs' | 'errand'>;

/** Starts a turn; `work` runs it. */
export function startTurn(begun: TurnStart, work: (turn: RunningTurn) => Promise<TurnOutcome>): RunningTurn {
  const listeners = new Set<Listener>();
  const controller = new AbortController();
  let stoppedBy: TurnReason | null = null;
  const turn: RunningTurn = {
    ...begun,
    ...{ tip: begun.node, model: '', level: 'minimal', activity: 'starting', step: null, spending: newSpending() },
    signal: controller.signal,
    stop(why) {
      stoppedBy ??= why;
      controller.abort();
    },
    stoppedBy: () => stoppedBy,
    keys: createWantedKeys((provider) => turn.emit({ kind: 'key_wanted', turn: begun.id, provider })),
    emit(event) {
      for (const listener of listeners) {
        if (event.kind !== 'call_output' || listener.hasRoom()) listener.emit(event);
      }
    },
    follow(listener) {
      if (turn.activity !== 'starting') listener.emit(snapshotOf(turn));
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    // Not before the caller has had the chance to follow.
    outcome: Promise.resolve().then(() => work(turn)),
  };
  // Whoever awaits it gets the failure; when nobody does, the hub has not failed.
  turn.outcome.catch(() => undefined);
  return turn;
}

/** A step without an answer yet. */
export function newStep(id: NodeId): StepUnderWay {
  return { id, answer: newAnswer(), calls: [] };
}

function snapshotOf({ id, tree, tip, model, step }: RunningTurn): Snapshot {
  const kept = step === null ? null : { id: step.id, blocks: step.answer.blocks, calls: step.calls };
  // A copy: what is told must not change while it waits to be sent.
  return { kind: 'turn_snapshot', turn: id, tree, tip, model, step: structuredClone(kept) };
}
