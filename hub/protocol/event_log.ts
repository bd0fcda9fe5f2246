import * as z from 'zod';
import { Blocks, External, NodeId, TreeId } from './node.js';
import { Usage } from './usage.js';

const timestamp = z.iso.datetime();

/** The first line of the log of a tree. */
const LogHeader = z.strictObject({
  kind: z.literal('header'),
  version: z.literal(1),
  tree: TreeId,
  created_at: timestamp,
  /** The tree of the node that asked for this one, when it is a sub-session. */
  parent_session_id: TreeId.nullable(),
  /** In which feed the numbers of the lines stand. */
  epoch: z.string(),
});
export type LogHeader = z.infer<typeof LogHeader>;

const ran = { ...External.shape, blocks: Blocks };

/** What happened: what somebody said, or what a call came to, with the id by which the model knows it. */
const Payload = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('root') }),
  z.strictObject({ type: z.literal('user'), blocks: Blocks }),
  /** Its blocks hold the calls that it makes, each with its id. */
  z.strictObject({ type: z.literal('assistant'), blocks: Blocks }),
  z.strictObject({ type: z.literal('summary'), blocks: Blocks }),
  z.strictObject({ type: z.literal('tool_result'), ...ran }),
  /** What a person ran: no model asked for it. */
  z.strictObject({ type: z.literal('command'), ...ran }),
]);

const LogNode = z.strictObject({
  kind: z.literal('node'),
  /** Orders the lines, and is the number of this node in the feed. */
  seq: z.int().nonnegative(),
  id: NodeId,
  parent_id: NodeId.nullable(),
  timestamp,
  /** Whose it is: person and machine, as they say themselves; absent for what this hub has made. */
  by: z.string().optional(),
  payload: Payload,
  /** Of the request that made it; null when none did, or nobody counted. */
  token_usage: Usage.nullable(),
});
export type LogNode = z.infer<typeof LogNode>;

/** One line of the log of a tree. */
export const LogLine = z.discriminatedUnion('kind', [LogHeader, LogNode]);
export type LogLine = z.infer<typeof LogLine>;
