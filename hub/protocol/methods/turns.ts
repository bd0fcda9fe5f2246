import { z } from 'zod';
import { STEP_CALLS_MAX } from '../limits.js';
import { method } from '../method.js';
import { Blocks, External, Node, NodeId, Sha256, TreeId, TurnId } from '../node.js';
import { cursor, limitUpTo, page } from './page.js';

export const Turn = z.strictObject({
  id: TurnId,
  tree: TreeId,
  /** Where it began. */
  node: NodeId,
  /** The last node that it has committed. */
  tip: NodeId,
  state: z.enum(['running', 'done', 'stopped', 'interrupted', 'failed']),
  started_at_ms: z.int().nonnegative(),
  ended_at_ms: z.int().nonnegative().nullable(),
});

const CallPlace = { call: z.string().min(1).max(200) };

/** The journal of a turn's step under way: for the hub's own agent, so that a crash loses nothing it was told. */
export const turnMethods = {
  'loom.turn_start': method({
    description: 'Opens a turn at a settled node.',
    params: z.strictObject({ id: TurnId.optional(), tree: TreeId, node: NodeId }),
    result: Turn,
    access: 'internal',
  }),
  'loom.turn_record_answer': method({
    description: 'Journals the assistant message of the step under way and the ids its nodes will have.',
    params: z.strictObject({
      turn: TurnId,
      /** The settled node that the step grows from. */
      parent: NodeId,
      id: NodeId,
      blocks: Blocks,
      settings: Sha256.nullable(),
      /** One per call block that will be executed, in the model’s order. */
      calls: z.array(z.strictObject({ ...CallPlace, id: NodeId })).max(STEP_CALLS_MAX),
    }),
    result: z.strictObject({}),
    access: 'internal',
  }),
  'loom.turn_record_result': method({
    description: 'Journals the finished result of one call.',
    params: z.strictObject({ turn: TurnId, ...CallPlace, blocks: Blocks, external: External }),
    result: z.strictObject({}),
    access: 'internal',
  }),
  'loom.turn_commit_step': method({
    description: 'Turns the journal into a step, unfinished calls as interrupted, and empties it.',
    params: z.strictObject({ turn: TurnId }),
    result: z.strictObject({ nodes: z.array(Node) }),
    access: 'internal',
  }),
  'loom.turn_end': method({
    description: 'Closes a turn, after committing what its journal still holds.',
    params: z.strictObject({ turn: TurnId, state: z.enum(['done', 'stopped', 'interrupted', 'failed']) }),
    result: Turn,
    access: 'internal',
  }),
  'loom.turn_list': method({
    description: 'Lists the turns of a tree, newest first.',
    params: z.strictObject({ tree: TreeId, cursor, limit: limitUpTo(1_000, 100) }),
    result: page('turns', Turn),
  }),
};
