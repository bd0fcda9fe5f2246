import * as z from 'zod';
import { ANSWER_LENGTH_MAX, STEP_CALLS_MAX } from '../limits.js';
import { methods } from '../method.js';
import { Blocks, External, NodeId, Sha256, TreeId, TurnId } from '../node.js';
import { cursor, limitUpTo, page } from '../page_schema.js';
import { Question, QuestionDraft } from '../question.js';
import { Input, Turn } from './turn_methods.js';

/** The step at which a turn waits for a person. */
const Parked = z.strictObject({
  step: NodeId,
  /** The settled node that the step will stand below. */
  parent: NodeId,
  settings: Sha256.nullable(),
  questions: z.array(Question),
});

/** Turns that wait for a person: what they ask, and what they are told. */
export const questionMethods = methods({
  'loom.turn_park': {
    description:
      'Lets a turn wait for a person to answer some calls of the step under way; no start of a hub ends that.',
    params: z.strictObject({
      turn: TurnId,
      questions: z.array(z.strictObject(QuestionDraft)).min(1).max(STEP_CALLS_MAX),
    }),
    result: z.strictObject({ questions: z.array(Question) }),
    access: 'internal',
  },
  'loom.turn_answer': {
    description: 'Keeps what a person said to a question, once; with the last answer the turn runs again.',
    params: z.strictObject({
      turn: TurnId,
      /** The id of the question, or of its call. */
      question: z.string().min(1).max(200),
      answer: z.string().min(1).max(ANSWER_LENGTH_MAX),
      /** What the call came to; null where it is still to be executed. */
      result: z.strictObject({ blocks: Blocks, external: External }).nullable(),
    }),
    /** `again` when it was answered like this before. */
    result: z.strictObject({ turn: Turn, again: z.boolean() }),
    access: 'internal',
  },
  'loom.turn_list_waiting': {
    description: 'Lists the turns that wait for a person, of one tree or of all, newest first.',
    params: z.strictObject({ tree: TreeId.nullable().default(null), cursor, limit: limitUpTo(100, 20) }),
    result: page('turns', z.strictObject({ turn: Turn, parked: Parked })),
  },
  'loom.turn_get': {
    description: 'Returns a turn with its pending inputs: what a client needs to take it up again.',
    params: z.strictObject({ turn: TurnId }),
    result: z.strictObject({
      turn: Turn,
      inputs: z.array(Input),
      /** The newest that it has asked, answered or not. */
      questions: z.array(Question),
      /** Null unless it waits. */
      parked: Parked.extend({
        /** What the model said before it asked. */
        blocks: Blocks,
        /** The calls that have no result yet, in the model’s order; those that ask are among them. */
        open_calls: z.array(z.strictObject({ call: z.string(), id: NodeId })),
        /** Where the last command of the step ended; null where there was none. */
        cwd: z.string().nullable(),
      }).nullable(),
    }),
  },
});
