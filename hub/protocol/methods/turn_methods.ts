import * as z from 'zod';
import { ErrorData } from '../errors.js';
import { BLOCKS_MAX, STEP_CALLS_MAX } from '../limits.js';
import { methods } from '../method.js';
import { Blocks, External, ImageBlock, Node, NodeId, Sha256, TextBlock, TreeId, TurnId } from '../node.js';
import { cursor, limitUpTo, page } from '../page_schema.js';
import { RequestId, Usage } from '../usage.js';

export const Turn = z.strictObject({
  id: TurnId,
  tree: TreeId,
  /** Where it began. */
  node: NodeId,
  /** The last node that it has committed. */
  tip: NodeId,
  /** `waiting`: parked until a person answers. */
  state: z.enum(['running', 'waiting', 'done', 'stopped', 'interrupted', 'failed']),
  started_at_ms: z.int().nonnegative(),
  ended_at_ms: z.int().nonnegative().nullable(),
});

const timeMs = z.int().nonnegative();

/** An input to a running turn: `steer` is heard after the current step, `after` when the turn would end. */
export const Input = z.strictObject({
  /** Also the id of its future node. */
  id: NodeId,
  turn: TurnId,
  kind: z.enum(['steer', 'after']),
  blocks: z
    .array(z.discriminatedUnion('type', [TextBlock, ImageBlock]))
    .min(1)
    .max(BLOCKS_MAX),
  /** `pending` until the turn hears it or the person withdraws it. */
  state: z.enum(['pending', 'taken', 'dropped']),
  /** Its node; null until the turn hears it. */
  node: NodeId.nullable(),
  /** The order among all inputs of the home. */
  seq: z.int().positive(),
  added_at_ms: timeMs,
});

/** Millionths of a US dollar; null for an unknown price, which differs from zero. */
const priceMicrodollars = z.int().nonnegative().max(10_000_000_000).nullable();

const RequestEnd = z.enum(['ok', 'stopped', ...ErrorData.shape.kind.options]);

/** One request to a model provider, with its outcome. */
export const PhysicalRequest = z.strictObject({
  id: RequestId,
  tree: TreeId,
  turn: TurnId,
  /** The settled node at the end of the sent path. */
  parent: NodeId,
  /** The resulting assistant or summary node once stored; for a failed attempt, that of the successful one. */
  node: NodeId.nullable(),
  provider: z.string(),
  model: z.string(),
  started_at_ms: timeMs,
  /** Null while it runs, or if the hub died. */
  ended_at_ms: timeMs.nullable(),
  /** The kind of a failure; `interrupted` if the hub died. */
  outcome: z.enum(['running', 'interrupted', ...RequestEnd.options]),
  /** Null when nobody counted. */
  usage: Usage.nullable(),
  price_microdollars: priceMicrodollars,
  /** Whether usage and price are an estimate of ours and not the provider’s count. */
  estimate: z.boolean(),
});

const count = z.int().nonnegative();

/** What some requests cost together. What is unknown is counted apart and is in no sum. */
export const Cost = z.strictObject({
  requests: count,
  running: count,
  /** Ended otherwise than `ok` or `stopped`. */
  failed: count,
  tokens_in: count,
  tokens_out: count,
  tokens_cache_read: count,
  tokens_cache_write_5m: count,
  tokens_cache_write_1h: count,
  price_microdollars: count,
  /** Ended requests whose price, or whose tokens, nobody knows. */
  unknown_price: count,
  unknown_usage: count,
  /** Requests in the sums that are estimates. */
  estimated: count,
});

const CallPlace = { call: z.string().min(1).max(200) };

/** The journal of a turn's step under way: for the hub's own agent, so that a crash loses nothing it was told. */
export const turnMethods = methods({
  'loom.turn_start': {
    description: 'Opens a turn at a settled node.',
    params: z.strictObject({ id: TurnId.optional(), tree: TreeId, node: NodeId }),
    result: Turn,
    access: 'internal',
  },
  'loom.turn_record_answer': {
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
      /** It is there to ask a person by, for somebody who waits elsewhere: no node is made of it. */
      asks_only: z.boolean().default(false),
    }),
    result: z.strictObject({}),
    access: 'internal',
  },
  'loom.turn_record_result': {
    description: 'Journals the finished result of one call.',
    params: z.strictObject({ turn: TurnId, ...CallPlace, blocks: Blocks, external: External }),
    result: z.strictObject({}),
    access: 'internal',
  },
  'loom.turn_commit_step': {
    description: 'Turns the journal into a step, unfinished calls as interrupted, and empties it.',
    params: z.strictObject({ turn: TurnId }),
    result: z.strictObject({ nodes: z.array(Node) }),
    access: 'internal',
  },
  'loom.turn_end': {
    description: 'Closes a turn, after committing what its journal still holds.',
    params: z.strictObject({ turn: TurnId, state: z.enum(['done', 'stopped', 'interrupted', 'failed']) }),
    result: Turn,
    access: 'internal',
  },
  'loom.turn_list': {
    description: 'Lists the turns of a tree, newest first.',
    params: z.strictObject({ tree: TreeId, cursor, limit: limitUpTo(1_000, 100) }),
    result: page('turns', Turn),
  },
});

/** What people say while a turn runs, durable before they are told so. */
export const inputMethods = methods({
  'loom.input_add': {
    description: 'Keeps what a person says to a running turn until the turn takes it; durable when answered.',
    params: z.strictObject({
      id: NodeId.optional(),
      turn: TurnId,
      kind: Input.shape.kind,
      blocks: Input.shape.blocks,
    }),
    result: Input,
  },
  'loom.input_list': {
    description: 'Lists the inputs of a turn, pending ones first, each part in the order in which they were added.',
    params: z.strictObject({ turn: TurnId, cursor, limit: limitUpTo(1_000, 100) }),
    result: page('inputs', Input),
  },
  'loom.input_take': {
    description: 'Makes an input a user node below a settled node.',
    params: z.strictObject({ turn: TurnId, input: NodeId, parent: NodeId }),
    result: z.strictObject({ node: Node }),
    access: 'internal',
  },
  'loom.input_drop': {
    description: 'Takes back inputs that the turn has not taken, and returns them as they are then.',
    params: z.strictObject({ turn: TurnId, inputs: z.array(NodeId).min(1).max(100) }),
    result: z.strictObject({ inputs: z.array(Input) }),
  },
});

/** The account of what was asked of model providers. */
export const requestMethods = methods({
  'loom.request_start': {
    description: 'Notes a request to a model provider before it is sent.',
    params: z.strictObject({
      id: RequestId.optional(),
      turn: TurnId,
      parent: NodeId,
      provider: z.string().min(1).max(100),
      model: z.string().min(1).max(400),
    }),
    result: PhysicalRequest,
    access: 'internal',
  },
  'loom.request_end': {
    description: 'Notes how a request ended and what it used and cost.',
    params: z.strictObject({
      request: RequestId,
      outcome: RequestEnd,
      usage: Usage.nullable(),
      price_microdollars: priceMicrodollars,
      estimate: z.boolean(),
      /** The node that its answer becomes; it need not be stored yet. */
      node: NodeId.nullable(),
    }),
    result: PhysicalRequest,
    access: 'internal',
  },
  'loom.request_list': {
    description: 'Lists the requests of a tree, or of one turn, newest first.',
    params: z.strictObject({
      tree: TreeId.nullable().default(null),
      turn: TurnId.nullable().default(null),
      cursor,
      limit: limitUpTo(1_000, 100),
    }),
    result: page('requests', PhysicalRequest),
  },
  'loom.cost_shape': {
    description: 'Lists what each ended request of a tree used and cost, in a few bytes a request, oldest first.',
    params: z.strictObject({ tree: TreeId, cursor, limit: limitUpTo(20_000, 20_000) }),
    /** Parallel lists. Null where nobody knows. */
    result: z.strictObject({
      /** The `seq` of the node that it counts at: its answer or, while there is none, the node that it was sent from. */
      seq: z.array(count),
      /** The index in `models`. */
      model: z.array(count),
      tokens_in: z.array(count.nullable()),
      tokens_out: z.array(count.nullable()),
      tokens_cache_read: z.array(count.nullable()),
      tokens_cache_write: z.array(count.nullable()),
      price_microdollars: z.array(priceMicrodollars),
      models: z.array(z.string()),
      cursor: z.string().nullable(),
    }),
    callerGone: 'cancel',
  },
  'loom.cost_get': {
    description:
      'Sums what requests cost: of a tree, of the sub-sessions of one, of a turn, of the path to a node, or of all trees.',
    params: z.strictObject({
      /** At most one of these four. */
      tree: TreeId.nullable().default(null),
      /** Of all trees that this one owns, and not of itself. */
      owner: TreeId.nullable().default(null),
      turn: TurnId.nullable().default(null),
      node: NodeId.nullable().default(null),
      /** With `node`: the node of its path below which spending is new; without it the nearest fork above. */
      since: NodeId.nullable().default(null),
      /** When the requests were started: from, and before. */
      from_ms: timeMs.nullable().default(null),
      until_ms: timeMs.nullable().default(null),
      /** What to sum apart, too. */
      by: z.enum(['none', 'day', 'turn', 'tree', 'model']).default('none'),
      /** Where a day begins, east of UTC. */
      utc_offset_minutes: z.int().min(-1_440).max(1_440).default(0),
    }),
    result: z.strictObject({
      total: Cost,
      /** Of a path: what was spent below `since`, apart from what it shares with other branches. */
      below: z.strictObject({ since: NodeId, cost: Cost }).nullable(),
      /** The key is a day (2026-01-31, oldest first), an id, or `provider/model`. */
      parts: z.array(z.strictObject({ key: z.string(), cost: Cost })),
    }),
    callerGone: 'cancel',
  },
});
