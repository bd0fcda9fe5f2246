import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { TreeId, TurnId } from '../../protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../protocol/turn.js';
import { pastOutcome, storeLateInputs } from './end_turn.js';
import { type StoredAnswer, storeAnswer } from './parked_turn.js';
import type { RunningTurn } from './running_turn.js';
import type { AnswerParams } from './turn_params.js';

export interface ParkedTurnsParts {
  reach(): InternalCaller;
  get(id: TurnId): RunningTurn | null;
  /** Fails when no more turns may run. */
  refuseIfFull(): void;
  /** Resumes a turn whose last question was answered. */
  resume(kept: StoredAnswer, params: AnswerParams): RunningTurn;
  /** Sends an event of a turn that does not run to the followers of its tree. */
  emit(tree: TreeId, event: AgentEvent): void;
  /** Ends a turn whose agent waits for the answer; null for any other. */
  stopHeld(id: TurnId): RunningTurn | null;
}

/** Answers and ends turns that wait for a person. */
export interface ParkedTurns {
  /** Answers a question of a parked turn: the turn when it runs again, else its outcome so far. */
  answer(params: AnswerParams): Promise<RunningTurn | TurnOutcome>;
  /** Ends a parked turn, or one that was resumed a moment ago; null for any other. */
  endParked(id: TurnId): Promise<TurnOutcome | null>;
}

export function createParkedTurns({
  reach,
  get,
  refuseIfFull: refuseMore,
  resume: goOn,
  emit: tell,
  stopHeld,
}: ParkedTurnsParts): ParkedTurns {
  // In order: of two last answers only one may resume the turn.
  const oneByOne = queue();

  async function answer(params: AnswerParams): Promise<RunningTurn | TurnOutcome> {
    refuseMore();
    const kept = await storeAnswer(reach(), params);
    const { id, tree } = kept.record.turn;
    if (kept.isLast) return letRun(kept, params);
    const { question, words } = kept;
    if (kept.isNew) {
      tell(tree, { kind: 'question_answered', turn: id, call: question.call, id: question.id, answer: words });
    }
    const outcome = get(id) ?? (await pastOutcome(reach(), id));
    if (outcome !== null) return outcome;
    throw new HubError('not_found', `there is no turn ${id} any more`);
  }

  async function letRun(kept: StoredAnswer, params: AnswerParams): Promise<RunningTurn> {
    try {
      return goOn(kept, params);
    } catch (error) {
      // Others began meanwhile and left no room. Storage says that it runs, and nobody would ever end it.
      await callHub(reach(), 'loom.turn_end', { turn: kept.record.turn.id, state: 'interrupted' });
      throw error;
    }
  }

  async function endWaiting(id: TurnId): Promise<RunningTurn | TurnOutcome | null> {
    // An answer came first: the turn that it resumed is the one to end.
    const running = get(id) ?? stopHeld(id);
    if (running !== null) return running;
    const waiting = await pastOutcome(reach(), id);
    if (waiting?.state !== 'waiting') return null;
    const { tip, state } = await callHub(reach(), 'loom.turn_end', { turn: id, state: 'interrupted' });
    const end = await storeLateInputs({ reach: reach(), turn: { id, tree: waiting.tree } }, tip);
    const outcome: TurnOutcome = { ...waiting, state, why: 'asked', tip: end, questions: [] };
    tell(waiting.tree, { kind: 'turn_ended', turn: id, outcome });
    return outcome;
  }

  async function endParked(id: TurnId): Promise<TurnOutcome | null> {
    const found = await oneByOne(() => endWaiting(id));
    if (found === null || !('outcome' in found)) return found;
    found.stop('asked');
    return await found.outcome;
  }

  return {
    answer: (params) => oneByOne(() => answer(params)),
    endParked,
  };
}

/** Runs work in order, whether the work before failed or not. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined); // told to whoever asked for it
    return done;
  };
}
