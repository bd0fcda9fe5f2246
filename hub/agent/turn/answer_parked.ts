import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { TreeId, TurnId } from '../../protocol/node.js';
import type { AgentEvent, TurnOutcome } from '../../protocol/turn.js';
import { keepLateInputs, pastOutcome } from './end_turn.js';
import { type KeptAnswer, keepAnswer } from './parked_turn.js';
import type { RunningTurn } from './running_turn.js';
import type { AnswerParams } from './turn_params.js';

export interface ParkedTurnsParts {
  reach(): InternalCaller;
  get(id: TurnId): RunningTurn | null;
  /** Fails when no more turns may run. */
  refuseMore(): void;
  /** Lets a turn run whose last question has its answer. */
  goOn(kept: KeptAnswer, params: AnswerParams): RunningTurn;
  /** Tells whoever follows a tree what happens to a turn of it that does not run. */
  tell(tree: TreeId, event: AgentEvent): void;
}

/** What is done with turns that wait for a person. */
export interface ParkedTurns {
  /** Answers a question of a turn that waits: what runs then, or what it waits for or came to. */
  answer(params: AnswerParams): Promise<RunningTurn | TurnOutcome>;
  /** Ends a turn that waits for a person, or has just ceased to; null when it does neither. */
  endParked(id: TurnId): Promise<TurnOutcome | null>;
}

export function parkedTurns({ reach, get, refuseMore, goOn, tell }: ParkedTurnsParts): ParkedTurns {
  // One after the other: of two last answers only one may let the turn run.
  const oneByOne = queue();

  async function answer(params: AnswerParams): Promise<RunningTurn | TurnOutcome> {
    refuseMore();
    const kept = await keepAnswer(reach(), params);
    const { id, tree } = kept.found.turn;
    if (kept.isLast) return letRun(kept, params);
    const { question, words } = kept;
    if (kept.isNew) {
      tell(tree, { kind: 'question_answered', turn: id, call: question.call, id: question.id, answer: words });
    }
    const outcome = get(id) ?? (await pastOutcome(reach(), id));
    if (outcome !== null) return outcome;
    throw new HubError('not_found', `there is no turn ${id} any more`);
  }

  async function letRun(kept: KeptAnswer, params: AnswerParams): Promise<RunningTurn> {
    try {
      return goOn(kept, params);
    } catch (error) {
      // Others began meanwhile and left no room. It runs as far as anybody knows, and nobody would ever end it.
      await callHub(reach(), 'loom.turn_end', { turn: kept.found.turn.id, state: 'interrupted' });
      throw error;
    }
  }

  async function endWaiting(id: TurnId): Promise<RunningTurn | TurnOutcome | null> {
    // Somebody's answer came first: what it lets run is what was to end.
    const running = get(id);
    if (running !== null) return running;
    const waiting = await pastOutcome(reach(), id);
    if (waiting?.state !== 'waiting') return null;
    const { tip, state } = await callHub(reach(), 'loom.turn_end', { turn: id, state: 'interrupted' });
    const end = await keepLateInputs({ reach: reach(), turn: { id, tree: waiting.tree } }, tip);
    const outcome: TurnOutcome = { ...waiting, state, why: 'asked', tip: end, questions: [] };
    tell(waiting.tree, { kind: 'turn_ended', turn: id, outcome });
    return outcome;
  }

  async function endParked(id: TurnId): Promise<TurnOutcome | null> {
    const found = await oneByOne(() => endWaiting(id));
    if (found === null || !('outcome' in found)) return found;
    found.stop('asked');
    return found.outcome;
  }

  return {
    answer: (params) => oneByOne(() => answer(params)),
    endParked,
  };
}

/** Does things one after the other, whether those before failed or not. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined); // told to whoever asked for it
    return done;
  };
}
