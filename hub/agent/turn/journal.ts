import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { Block, Node, NodeId, Sha256, TurnId } from '../../protocol/node.js';
import type { Question } from '../../protocol/question.js';
import type { CallResult, ModelCall, QuestionDraft } from '../tools/model_call.js';

/** A step before any of its calls is executed. */
export interface StepRecord {
  parent: NodeId;
  id: NodeId;
  blocks: Block[];
  settings: Sha256;
  calls: readonly Pick<ModelCall, 'call' | 'id'>[];
}

/** The steps of one turn on their way to the disk. */
export interface Journal {
  /** Resolves when it is on the disk: only then may a call be executed. */
  recordAnswer(step: StepRecord): Promise<void>;
  recordResult(call: string, result: CallResult): Promise<void>;
  /** Commits the journal as a step; calls without a result become interrupted. */
  commit(): Promise<Node[]>;
  /** Parks the turn; returns its questions as they are stored. */
  park(questions: QuestionDraft[]): Promise<Question[]>;
  /** A step without calls, in one go. */
  commitAnswer(step: StepRecord): Promise<Node[]>;
}

export function openJournal(reach: InternalCaller, turn: TurnId): Journal {
  const recordAnswer = async ({ calls, ...step }: StepRecord): Promise<void> => {
    await callHub(reach, 'loom.turn_record_answer', {
      ...{ turn, ...step },
      calls: calls.map(({ call, id }) => ({ call, id })),
      asks_only: false,
    });
  };
  const commit = async (): Promise<Node[]> => (await callHub(reach, 'loom.turn_commit_step', { turn })).nodes;
  return {
    recordAnswer,
    commit,
    async recordResult(call, { blocks, external }) {
      await callHub(reach, 'loom.turn_record_result', { turn, call, blocks, external });
    },
    park: async (questions) => (await callHub(reach, 'loom.turn_park', { turn, questions })).questions,
    async commitAnswer(step) {
      // Sent together they share one wait for the disk; without the first there is nothing to commit.
      const [, nodes] = await Promise.all([recordAnswer(step), commit()]);
      return nodes;
    },
  };
}
