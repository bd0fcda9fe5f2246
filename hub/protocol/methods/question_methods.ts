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
  /** The settled parent of the step. */
  parent: NodeId,
  settings: Sha256.nullable(),
  /** An agent asks, which waits for the answer; no node is made of the step. */
  asks_only: z.boolean(),
  questions: z.array(Question),
});

/** Parked turns: their questions and the answers, and what these permit. */
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
      /** The result of the call; null while it is to be executed. */
      result: z.strictObject({ blocks: Blocks, external: External }).nullable(),
    }),
    /** `again` for a repeated, equal answer. */
    result: z.strictObject({ turn: Turn, again: z.boolean() }),
    access: 'internal',
  },
  'loom.question_withdraw': {
    description: 'Notes that what a person permitted beyond the call that was asked about holds no longer.',
    params: z.strictObject({ turn: TurnId, question: NodeId }),
    result: z.strictObject({}),
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
      /** The newest question, answered or not. */
      questions: z.array(Question),
      /** Null unless it waits. */
      parked: Parked.extend({
        /** What the model said before it asked. */
        blocks: Blocks,
        /** The calls that have no result yet, in the model’s order; those that ask are among them. */
        open_calls: z.array(z.strictObject({ call: z.string(), id: NodeId })),
        /** The folder after the last command of the step; null for none. */
        cwd: z.string().nullable(),
      }).nullable(),
    }),
  },
  'agent.key_give': {
    description: 'Gives a turn the key that it wanted for a sub-session; null where there is none.',
    params: z.strictObject({
      turn: TurnId,
      provider: z.string().max(100),
      key: z.string().max(16_384).nullable(),
    }),
    result: z.strictObject({}),
  },
  'agent.permission_list': {
    description: 'Lists what the person has permitted at level `ask` for more than one call, on the path to a node.',
    params: z.strictObject({ node: NodeId }),
    result: z.strictObject({ permissions: z.array(z.strictObject({ id: NodeId, text: z.string() })) }),
  },
  'agent.permission_withdraw': {
    description: 'Takes back what was permitted on the path to a node; turns that begin after it ask again.',
    params: z.strictObject({
      node: NodeId,
      /** Null for all of it. */
      ids: z.array(NodeId).min(1).max(1_000).nullable().default(null),
    }),
    result: z.strictObject({ withdrawn: z.array(z.string()) }),
  },
});
