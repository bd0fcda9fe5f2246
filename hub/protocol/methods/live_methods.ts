import * as z from 'zod';
import { ANSWER_LENGTH_MAX } from '../limits.js';
import { methods } from '../method.js';
import { Json, NodeId, TreeId, TurnId } from '../node.js';
import { Question } from '../question.js';
import { Level, TurnOutcome } from '../turn.js';
import { RunningTurn } from './agent_methods.js';
import { Input } from './turn_methods.js';

/** How far what is shared over a remote has been sent. */
const RemoteState = z.strictObject({
  kind: z.literal('remote_state'),
  remote: z.string(),
  /** Whether it cannot be reached now. */
  away: z.boolean(),
  /** Nodes that are not there yet. */
  to_send: z.int().nonnegative(),
});

/** What a hub says of a turn of its own to others; what later versions say more is passed over. */
export const LeasedTurn = z.object({
  ...{ turn: TurnId, tree: TreeId, node: NodeId, tip: NodeId, model: z.string().max(400), level: Level },
  state: z.enum(['running', 'waiting', 'ended']),
  /** How it ended. */
  end: TurnOutcome.pick({ state: true, why: true }).optional(),
  /** Its hub has ended in order, and the turn was waiting or could not be ended. */
  left: z.boolean().optional(),
  started_at_ms: z.int().nonnegative(),
  questions: z.array(Question).max(200),
});
export type LeasedTurn = z.infer<typeof LeasedTurn>;

const answering = {
  call: z.string().min(1).max(200),
  answer: z.union([z.string().max(ANSWER_LENGTH_MAX), z.strictObject({ option: z.int().positive().max(1_000) })]),
};

/** What is said to a turn of another hub. */
export const TurnMessage = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('say'), id: NodeId, blocks: Input.shape.blocks, when: Input.shape.kind }),
  z.strictObject({ kind: z.literal('stop') }),
  z.strictObject({ kind: z.literal('answer'), ...answering }),
]);
export type TurnMessage = z.infer<typeof TurnMessage>;

/** A turn of another hub: `lost` when that has not said for a while that it still runs, `away` while the remote cannot be asked. */
const TurnElsewhere = LeasedTurn.extend({
  kind: z.literal('turn_elsewhere'),
  remote: z.string(),
  by: z.string(),
  state: z.enum(['running', 'waiting', 'ended', 'lost', 'away']),
  /** When its hub was heard of last, for one that is lost or away. */
  seen_at_ms: z.int().nonnegative().optional(),
});
export type TurnElsewhere = z.infer<typeof TurnElsewhere>;

export const LiveEvent = z.discriminatedUnion('kind', [
  RemoteState,
  /** A tree that cannot be gone on with over a remote, and why. */
  z.strictObject({ kind: z.literal('tree_stopped'), remote: z.string(), tree: TreeId, problem: z.string() }),
  /** How far recorded files of a tree have gone or come; all of them, too, when it is given up. */
  z.strictObject({
    ...{ kind: z.literal('files_state'), remote: z.string(), tree: TreeId },
    ...{ bytes: z.int().nonnegative(), of: z.int().nonnegative() },
  }),
  TurnElsewhere,
]);
export type LiveEvent = z.infer<typeof LiveEvent>;

export const liveMethods = methods({
  'sharing.follow': {
    description:
      'Tells how what is shared is sent and fetched, and which turns run in other hubs, for as long as the call lasts.',
    params: z.strictObject({
      /** Only what concerns this one, and the remotes that it is shared over. */
      tree: TreeId.nullable().default(null),
      stream: z.string().min(1).max(200),
    }),
    result: z.strictObject({}),
    event: LiveEvent,
    callerGone: 'cancel',
  },
  'sharing.wait': {
    description:
      'Waits until a node stands at every remote that its tree is shared over, which says so itself; fails with `network` when the time is over: the node stays, and is sent later.',
    params: z.strictObject({
      ...{ tree: TreeId, node: NodeId },
      timeout_ms: z.int().positive().max(600_000).default(30_000),
    }),
    result: z.strictObject({ remotes: z.array(z.string()) }),
    callerGone: 'cancel',
  },
  'sharing.turn_list': {
    description: 'Lists the turns of shared trees that other hubs have.',
    params: z.strictObject({ tree: TreeId.nullable() }),
    result: z.strictObject({ turns: z.array(RunningTurn) }),
    access: 'internal',
  },
  'agent.answer_from_elsewhere': {
    description:
      'Answers a question of a turn for somebody at another hub: it goes on with what it ran with until then.',
    params: z.strictObject({ turn: TurnId, ...answering }),
    result: TurnOutcome,
    access: 'internal',
  },
  'sharing.turn_tell': {
    description: 'Says something to a turn of another hub, and waits for what that answers; null when no hub has it.',
    params: z.strictObject({ turn: TurnId, message: TurnMessage }),
    result: z.strictObject({ answer: Json }),
    access: 'internal',
  },
});
