import { z } from 'zod';
import { method } from '../method.js';
import { NodeId, TreeId, TurnId } from '../node.js';
import { AbsolutePath, Access, AgentEvent, Grants, Level, SettingsChange, TurnLimits, TurnOutcome } from '../turn.js';
import { Input, Usage } from './turns.js';

const count = z.int().nonnegative();
const Price = z.int().nonnegative().nullable();

const Running = z.strictObject({
  ...{ turn: TurnId, tree: TreeId, node: NodeId, tip: NodeId, model: z.string(), level: Level },
  activity: z.enum(['starting', 'waiting', 'answering', 'calling', 'retrying', 'ending']),
  ...{ iterations: count, usage: Usage.nullable(), price_microdollars: Price, started_at_ms: count },
});

const stream = z.string().min(1).max(200);
const which = { access: Access.default({}), change: SettingsChange.nullable().default(null) };

export const agentMethods = {
  'agent.run': method({
    description: 'Lets a model go on from a node, step by step, until it has answered or a limit is reached.',
    params: z.strictObject({
      id: TurnId.optional(),
      tree: TreeId,
      /** A settled node. */
      node: NodeId,
      ...which,
      /** The model when nothing on the path or in the tree says one. */
      usual_model: z.string().min(1).max(400).nullable().default(null),
      limits: TurnLimits.prefault({}),
      /** The folder of the caller: where commands run until one of them goes elsewhere. */
      cwd: AbsolutePath,
      /** The caller's; of it a model's commands get where programs are, and how text is written. */
      environment: z.record(z.string().max(32_768), z.string().max(1_048_576)).nullable().default(null),
      grants: Grants.prefault({}),
      stream: stream.optional(),
    }),
    result: TurnOutcome,
    event: AgentEvent,
  }),
  'agent.check': method({
    description: 'Tells which model a turn would use, and fails when its provider cannot be reached for want of a key.',
    params: z.strictObject({
      /** Where the turn would begin; null for a tree that is to be. */
      node: NodeId.nullable().default(null),
      ...which,
      usual_model: z.string().min(1).max(400).nullable().default(null),
    }),
    result: z.strictObject({ model: z.string() }),
  }),
  'agent.follow': method({
    description: 'Sends where a turn stands and what happens in it from now on; with a tree, in all its turns.',
    params: z.strictObject({ turn: TurnId.nullable().default(null), tree: TreeId.nullable().default(null), stream }),
    result: z.strictObject({ outcome: TurnOutcome.nullable() }),
    event: AgentEvent,
    callerGone: 'cancel',
  }),
  'agent.stop': method({
    description: 'Ends a turn at once and keeps what was said so far.',
    params: z.strictObject({ turn: TurnId }),
    /** `stopped` is false when it had ended before. */
    result: z.strictObject({ stopped: z.boolean(), outcome: TurnOutcome }),
  }),
  'agent.steer': method({
    description: 'Says something to a running turn: after the step under way, or when it would end.',
    params: z.strictObject({
      id: NodeId.optional(),
      turn: TurnId,
      blocks: Input.shape.blocks,
      kind: Input.shape.kind.default('steer'),
    }),
    result: Input,
  }),
  'agent.status': method({
    description: 'Lists the turns that run, of one tree or of all.',
    params: z.strictObject({ tree: TreeId.nullable().default(null) }),
    result: z.strictObject({ turns: z.array(Running) }),
  }),
  'agent.providers': method({
    description: 'Lists the providers of models, and the short names of models.',
    params: z.strictObject({}),
    result: z.strictObject({
      providers: z.array(z.strictObject({ name: z.string(), needs_key: z.boolean() })),
      aliases: z.array(z.strictObject({ name: z.string(), model: z.string() })),
    }),
  }),
};
