import { asked, type Reach } from '../context/reach.js';
import { HubError } from '../error.js';
import type { TurnId } from '../protocol/node.js';
import type { TurnOutcome } from '../protocol/turn.js';
import { keepLateInputs, pastOutcome } from './ending.js';
import { type AnswerParams, type KeptAnswer, keepAnswer } from './parked.js';
import type { RunningTurn } from './running.js';

export interface ParkedTurnsParts {
  reach(): Reach;
  get(id: TurnId): RunningTurn | null;
  /** Fails when no more turns may run. */
  refuseMore(): void;
  /** Lets a turn run whose last question has its answer. */
  goOn(kept: KeptAnswer, params: AnswerParams): RunningTurn;
}

/** What is done with turns that wait for a person. */
export interface ParkedTurns {
  /** Answers a question of a turn that waits: what runs then, or what it waits for or came to. */
  answer(params: AnswerParams): Promise<RunningTurn | TurnOutcome>;
  /** Ends a turn that waits for a person; null when it does not. */
  endParked(id: TurnId): Promise<TurnOutcome | null>;
}

export function parkedTurns({ reach, get, refuseMore, goOn }: ParkedTurnsParts): ParkedTurns {
  // One after the other: of two last answers only one may let the turn run.
  const oneByOne = queue();

  async function answer(params: AnswerParams): Promise<RunningTurn | TurnOutcome> {
    refuseMore();
    const kept = await keepAnswer(reach(), params);
    if (kept.isLast) return goOn(kept, params);
    const { id } = kept.found.turn;
    const outcome = get(id) ?? (await pastOutcome(reach(), id));
    if (outcome !== null) return outcome;
    throw new HubError('not_found', `there is no turn ${id} any more`);
  }

  async function endParked(id: TurnId): Promise<TurnOutcome | null> {
    const waiting = await pastOutcome(reach(), id);
    if (waiting?.state !== 'waiting') return null;
    const { tip, state } = await asked(reach(), 'loom.turn_end', { turn: id, state: 'interrupted' });
    const end = await keepLateInputs({ reach: reach(), turn: { id, tree: waiting.tree } }, tip);
    return { ...waiting, state, why: 'asked', tip: end, questions: [] };
  }

  return {
    answer: (params) => oneByOne(() => answer(params)),
    endParked: (id) => oneByOne(() => endParked(id)),
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
