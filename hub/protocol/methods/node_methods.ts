import * as z from 'zod';
import { WatchEvent } from '../feed_events.js';
import { STEP_CALLS_MAX } from '../limits.js';
import { methods } from '../method.js';
import {
  Blocks,
  External,
  Handle,
  Leaf,
  Node,
  NodeId,
  NodeMeta,
  Role,
  Settings,
  Sha256,
  SkeletonNode,
  TreeId,
  TurnId,
} from '../node.js';
import { cursor, limitUpTo, page } from '../page_schema.js';

const ExternalInput = z.strictObject({ id: NodeId.optional(), blocks: Blocks, external: External });

/** When it was said, by a program that brings it from elsewhere: not later than now. Left out, it is now. */
const createdAt = z.int().nonnegative().optional();

/** `branched` is true when the parent had a child already, so that both writers can be told. */
const Created = z.strictObject({ node: Node, branched: z.boolean() });

const Problem = z.strictObject({
  tree: TreeId.nullable(),
  node: NodeId.nullable(),
  seq: z.int().nonnegative().nullable(),
  problem: z.string(),
});

export const nodeMethods = methods({
  'loom.node_create_text': {
    description: 'Appends a text node; durable when answered, and the same id with the same arguments appends once.',
    params: z.strictObject({
      id: NodeId.optional(),
      tree: TreeId,
      parent: NodeId,
      role: z.enum(['user', 'assistant', 'summary']),
      blocks: Blocks,
      settings: Sha256.nullable().default(null),
      created_at_ms: createdAt,
      meta: NodeMeta.optional(),
      /**
       * Its turn, where archiving does not keep it out: one that is open and goes on below this node if its last one is the
       * parent, or one that has ended, whose pending input this is.
       */
      turn: TurnId.optional(),
    }),
    result: Created,
  },
  'loom.node_create_external': {
    description: 'Appends an external node, a handle with what a model sees of it, outside any step.',
    params: z.strictObject({
      ...ExternalInput.shape,
      tree: TreeId,
      parent: NodeId,
      created_at_ms: createdAt,
      meta: NodeMeta.optional(),
      /** When the recorded work began, by `loom.node_check`: it is appended even if its parent was archived since. */
      begun_at_ms: z.int().nonnegative().nullable().default(null),
      /** A running turn whose last node is the parent: it goes on from this one. */
      turn: TurnId.nullable().default(null),
    }),
    result: Created,
  },
  'loom.step_create': {
    description: 'Appends an assistant node and the external nodes of all its calls, whole or not at all.',
    params: z.strictObject({
      tree: TreeId,
      parent: NodeId,
      id: NodeId.optional(),
      blocks: Blocks,
      settings: Sha256.nullable().default(null),
      created_at_ms: createdAt,
      calls: z.array(ExternalInput).max(STEP_CALLS_MAX),
    }),
    result: z.strictObject({ nodes: z.array(Node), branched: z.boolean() }),
  },
  'loom.node_get': {
    description: 'Returns one node; with a tree, only if it belongs to that.',
    params: z.strictObject({ node: NodeId, tree: TreeId.nullable().default(null) }),
    result: z.strictObject({
      node: Node,
      /** The last node of its step; itself when it is settled. */
      step_end: NodeId,
      child_count: z.int().nonnegative(),
      /** Whether a file or another hub brought it. */
      imported: z.boolean(),
    }),
  },
  'loom.node_get_many': {
    description:
      'Returns nodes of any trees by their ids, in this order, as many as fit a page; unknown ones are told.',
    params: z.strictObject({ nodes: z.array(NodeId).max(1_000), cursor }),
    result: z.strictObject({
      nodes: z.array(Node),
      /** Those of this page that are not there. */
      missing: z.array(NodeId),
      cursor: z.string().nullable(),
    }),
    callerGone: 'cancel',
  },
  'loom.node_read_children': {
    description: 'Returns the children of a node with their contents, oldest first.',
    params: z.strictObject({
      node: NodeId,
      archived: z.boolean().default(false),
      cursor,
      limit: limitUpTo(1_000, 200),
    }),
    result: page('nodes', Node),
    callerGone: 'cancel',
  },
  'loom.node_check': {
    description:
      'Fails as an append below a node would, such as in an archived branch: to be called before work begins.',
    params: z.strictObject({ tree: TreeId, node: NodeId }),
    /** The hub's clock, to be given to `loom.node_create_external`. */
    result: z.strictObject({ begun_at_ms: z.int().nonnegative() }),
  },
  'loom.node_find': {
    description: 'Finds nodes of a tree by full id, else by mark, else by a prefix of 4 or more hex digits.',
    params: z.strictObject({ tree: TreeId, ref: z.string().min(1).max(1_000) }),
    result: z.strictObject({
      matches: z.array(SkeletonNode).max(20),
      near: z.array(z.string()).max(5),
    }),
  },
  'loom.node_get_children': {
    description: 'Lists the children of a node, oldest first.',
    params: z.strictObject({
      node: NodeId,
      archived: z.boolean().default(false),
      cursor,
      limit: limitUpTo(1_000, 200),
    }),
    result: page('children', SkeletonNode),
  },
  'loom.context_get_path': {
    description: 'Lists the nodes from the root, or from a depth below it, to a node, the uppermost first.',
    params: z.strictObject({
      node: NodeId,
      from_depth: z.int().nonnegative().optional(),
      cursor,
      limit: limitUpTo(5_000, 1_000),
    }),
    result: page('nodes', Node),
    callerGone: 'cancel',
  },
  'loom.context_list_leaves': {
    description: 'Lists the leaves of a tree, or those below one node, newest first.',
    params: z.strictObject({
      tree: TreeId,
      under: NodeId.nullable().default(null),
      archived: z.boolean().default(false),
      cursor,
      limit: limitUpTo(1_000, 100),
    }),
    result: page('leaves', Leaf),
    callerGone: 'cancel',
  },
  'loom.context_get_handles': {
    description: 'Lists the handles on the path to a node, root first.',
    params: z.strictObject({ node: NodeId, cursor, limit: limitUpTo(5_000, 1_000) }),
    result: page(
      'handles',
      z.strictObject({
        ...{ node: NodeId, handle: Handle },
        /** Whether a file or another hub brought it. */
        imported: z.boolean(),
      }),
    ),
    callerGone: 'cancel',
  },
  'loom.context_get_place': {
    description:
      'Tells in which folders the branch of a node stands, and which commands of a person are on its path; what a file brought does not count.',
    params: z.strictObject({ node: NodeId }),
    result: z.strictObject({
      /** The folder after the person's last command on the path; null for none. */
      person_cwd: z.string().nullable(),
      /** The folder after the model's last call on the path; before the first, the person's. */
      model_cwd: z.string().nullable(),
      /** Commands of people, newest first. */
      commands: z.array(NodeId).max(50),
    }),
  },
  'loom.context_get_settings': {
    description: 'Names the settings of the newest answer on the path to a node: what a turn there goes on with.',
    params: z.strictObject({ node: NodeId }),
    result: z.strictObject({
      settings: Sha256.nullable(),
      /** Imported settings that nobody has trusted; turns ignore them. */
      untrusted: Sha256.nullable(),
    }),
  },
  'loom.settings_put': {
    description: 'Stores settings and returns the hash that nodes name them by.',
    params: z.strictObject({ settings: Settings }),
    result: z.strictObject({ sha256: Sha256 }),
  },
  'loom.settings_get': {
    description: 'Returns stored settings by their hash.',
    params: z.strictObject({ sha256: Sha256 }),
    result: z.strictObject({
      settings: Settings,
      /** Whether they were imported and nobody has trusted them. */
      untrusted: z.boolean(),
    }),
  },
  'loom.settings_trust': {
    description: 'Lets settings be used that a file brought: a person has seen them and said so.',
    params: z.strictObject({ sha256: Sha256 }),
    result: z.strictObject({}),
  },
  'loom.search': {
    description:
      'Finds text in all branches, newest first: every word must occur, "quoted words" together; or a regular expression.',
    params: z.strictObject({
      query: z.string().min(1).max(1_000),
      /** Whether the query is a regular expression of JavaScript. One that takes too long for a node is refused. */
      regex: z.boolean().default(false),
      /** Only what was said in this role; `tool` is calls and commands. */
      role: Role.nullable().default(null),
      /** Only nodes with all of this. */
      meta: NodeMeta.nullable().default(null),
      tree: TreeId.nullable().default(null),
      /** Includes archived trees and branches. */
      archived: z.boolean().default(false),
      cursor,
      limit: limitUpTo(200, 20),
    }),
    result: page(
      'hits',
      z.strictObject({
        tree: TreeId,
        tree_name: z.string().nullable(),
        node: NodeId,
        seq: z.int().nonnegative(),
        role: Role,
        tool: z.string().nullable(),
        created_at_ms: z.int(),
        /** Text around the first match; `matches` are [start, end) in UTF-16 units of it. */
        snippet: z.string(),
        matches: z.array(z.tuple([z.int(), z.int()])),
      }),
    ),
    callerGone: 'cancel',
  },
  'loom.watch': {
    description: 'Sends the feed after `since` on the stream and goes on live until it is cancelled.',
    params: z.strictObject({
      tree: TreeId.nullable().default(null),
      since: z.int().nonnegative().nullable().default(null),
      /** The epoch that `since` was read in. */
      epoch: z.string().max(100).nullable().default(null),
      stream: z.string().min(1).max(200),
    }),
    result: z.strictObject({ seq: z.int().nonnegative() }),
    event: WatchEvent,
    callerGone: 'cancel',
  },
  'loom.fsck': {
    description: 'Checks the database, every hash, every parent, every step and every stored output.',
    params: z.strictObject({ tree: TreeId.nullable().default(null) }),
    result: z.strictObject({
      trees: z.int().nonnegative(),
      nodes: z.int().nonnegative(),
      outputs: z.int().nonnegative(),
      /** The first thousand. */
      problems: z.array(Problem),
      problem_count: z.int().nonnegative(),
    }),
    callerGone: 'cancel',
  },
  'loom.backup': {
    description:
      'Writes a consistent copy of the database, and beside it of the stored outputs and of what is recorded of projects.',
    params: z.strictObject({ path: z.string().min(1).max(4_096) }),
    result: z.strictObject({ path: z.string(), size_bytes: z.int(), outputs: z.int(), packs: z.int() }),
  },
});
