import * as z from 'zod';
import { methods } from '../method.js';
import {
  Mark,
  MarkName,
  NodeId,
  NodeMeta,
  Output,
  PortableNode,
  Settings,
  Sha256,
  SkeletonNode,
  Tree,
  TreeId,
  TreeName,
} from '../node.js';
import { cursor, limitUpTo, page } from '../page_schema.js';

/** The records of an export, in order. Outputs are transferred by `blob_read` and `blob_write`. */
export const ExportRecord = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('tree'),
    format: z.literal(1),
    tree: Tree.pick({ id: true, name: true, project: true, owner: true, created_at_ms: true }).extend({
      forked_from: Tree.shape.forked_from.optional(),
    }),
  }),
  z.strictObject({ kind: z.literal('settings'), sha256: Sha256, settings: Settings }),
  z.strictObject({ kind: z.literal('node'), node: PortableNode }),
  z.strictObject({ kind: z.literal('mark'), name: MarkName, node: NodeId }),
  z.strictObject({ kind: z.literal('archived'), node: NodeId }),
  /** A stored output that a preceding node refers to. */
  z.strictObject({ kind: z.literal('output'), sha256: Sha256, size_bytes: z.int().nonnegative() }),
]);
export type ExportRecord = z.infer<typeof ExportRecord>;

/**
 * With the last page of a shared tree, where siblings do not stand by their `seq`: pairs of a node's `seq` and the `seq` whose
 * place among its siblings it takes.
 */
const ranks = z.array(z.int());

/** The shape of a page of nodes, as parallel lists. */
const shape = {
  /** The `seq` of each node, as the difference to the one before it. */
  seq: z.array(z.int()),
  /** The difference between its `seq` and its parent's; 0 for the root. */
  parent: z.array(z.int().nonnegative()),
  /**
   * A letter for each node: `r`oot, `u`ser, `a`nswer, answer that calls tools `b` (`A` when it says nothing), `s`ummary,
   * `t`ool (`T` when it failed).
   */
  kind: z.string(),
  /** The creation time in seconds, as the difference to the node before it. */
  at: z.array(z.int()),
  /** The indexes of the roots of archived branches. */
  archived: z.array(z.int().nonnegative()),
  ranks,
};

export const treeMethods = methods({
  'loom.tree_create': {
    description: 'Starts a tree; its root node has the tree’s own id.',
    params: z.strictObject({
      id: TreeId.optional(),
      name: TreeName.nullable().default(null),
      project: z.string().max(16_384).nullable().default(null),
      owner: z.strictObject({ tree: TreeId, node: NodeId }).nullable().default(null),
    }),
    result: Tree,
  },
  'loom.tree_get': {
    description: 'Returns one tree by its id.',
    params: z.strictObject({ tree: TreeId }),
    result: Tree,
  },
  'loom.tree_find': {
    description: 'Finds trees by full id, else by exact name, else by a prefix of 4 or more hex digits.',
    params: z.strictObject({ ref: z.string().min(1).max(1_000) }),
    result: z.strictObject({
      /** Newest activity first, unarchived before archived; more than one when the reference is not exact. */
      matches: z.array(Tree).max(20),
      /** Names and ids that look like the reference, when nothing matches. */
      near: z.array(z.string()).max(5),
    }),
  },
  'loom.tree_get_skeleton': {
    description: 'Lists what drawing a tree needs of each node, parents before their children.',
    params: z.strictObject({
      tree: TreeId,
      /** With archived branches. */
      archived: z.boolean().default(false),
      /** Only nodes with all of this; their parents may be left out. */
      meta: NodeMeta.nullable().default(null),
      cursor,
      limit: limitUpTo(10_000, 2_000),
    }),
    result: page('nodes', SkeletonNode).extend({ ranks }),
    callerGone: 'cancel',
  },
  'loom.tree_get_shape': {
    description:
      'Tells how a tree is grown in a few bytes a node, parents before their children: what a navigator walks on.',
    params: z.strictObject({
      tree: TreeId,
      /** With archived branches. */
      archived: z.boolean().default(false),
      cursor,
      limit: limitUpTo(100_000, 100_000),
    }),
    result: z.strictObject({ ...shape, cursor: z.string().nullable() }),
    callerGone: 'cancel',
  },
  'loom.tree_get_near': {
    description:
      'Tells how a tree is grown around one node, as `loom.tree_get_shape` does of the whole: what is listed above and below ' +
      'that node when every branch that does not lead to it is one row, above where the path goes on. Takes as long in a large tree as in a small one.',
    params: z.strictObject({
      tree: TreeId,
      node: NodeId,
      /** The number of rows above it, and below it. */
      rows: limitUpTo(1_000, 100),
    }),
    result: z.strictObject({
      ...shape,
      /** The `seq` of the node; for an archived one, that of its nearest unarchived ancestor. */
      node: z.int(),
      hidden: z.boolean(),
      /** The number of contiguous rows above and below it, and whether they reach the start and end of the list. */
      above: z.int().nonnegative(),
      below: z.int().nonnegative(),
      begins: z.boolean(),
      ends: z.boolean(),
      /** The number of nodes in the tree. */
      node_count: z.int().nonnegative(),
    }),
    callerGone: 'cancel',
  },
  'loom.tree_get_lines': {
    description:
      'Returns some nodes of a tree by their numbers, as a list shows them, in this order; others are left out.',
    params: z.strictObject({ tree: TreeId, seqs: z.array(z.int().nonnegative()).max(500) }),
    result: z.strictObject({ nodes: z.array(SkeletonNode) }),
    callerGone: 'cancel',
  },
  'loom.tree_list': {
    description: 'Lists trees, newest activity first.',
    params: z.strictObject({
      /** Lists only archived trees. */
      archived: z.boolean().default(false),
      project: z.string().max(16_384).nullable().default(null),
      /** Lists only trees owned by nodes of this tree; without it, only trees without an owner. */
      owner: TreeId.nullable().default(null),
      /** Lists only trees forked from nodes of this tree. */
      forked_from: TreeId.nullable().default(null),
      /** Lists only trees with a node that has all of this. */
      meta: NodeMeta.nullable().default(null),
      cursor,
      limit: limitUpTo(1_000, 100),
    }),
    result: page('trees', Tree),
  },
  'loom.tree_fork': {
    description:
      'Copies the path to a node into a tree of its own, piece by piece: to be called with the same id until the tree is there.',
    params: z.strictObject({
      id: TreeId.optional(),
      tree: TreeId,
      node: NodeId,
      name: TreeName.nullable().default(null),
    }),
    result: z.strictObject({
      id: TreeId,
      /** The nodes that are copied, of how many. */
      copied: z.int().nonnegative(),
      total: z.int().nonnegative(),
      /** The tree, and the copy of the node; null until all is copied. */
      forked: z.strictObject({ tree: Tree, node: NodeId }).nullable(),
    }),
  },
  'loom.tree_update': {
    description: 'Renames a tree, or takes its name away.',
    params: z.strictObject({ tree: TreeId, name: TreeName.nullable() }),
    result: Tree,
  },
  'loom.tree_archive': {
    description: 'Hides a tree; everything in it stays and can be read.',
    params: z.strictObject({ tree: TreeId }),
    result: Tree,
  },
  'loom.tree_restore': {
    description: 'Shows an archived tree again, under a new name when its own has been taken meanwhile.',
    params: z.strictObject({ tree: TreeId }),
    result: Tree,
  },
  'loom.tree_purge': {
    description:
      'Deletes a tree and the sub-session trees it owns for good; without `confirm` it only says what would go.',
    params: z.strictObject({ tree: TreeId, confirm: z.string().max(100).nullable().default(null) }),
    result: z.strictObject({
      purged: z.boolean(),
      node_count: z.int().nonnegative(),
      output_bytes: z.int().nonnegative(),
      /** The sub-session trees deleted with it. */
      owned: z.array(Tree),
      /** Pass this back to delete exactly what is described here. */
      confirm: z.string(),
    }),
  },
  'loom.tree_export': {
    description: 'Reads a whole tree as records that `loom.tree_import` gives back unchanged.',
    params: z.strictObject({
      tree: TreeId,
      /** Omit nodes whose hash or parent is damaged, with their descendants. */
      undamaged: z.boolean().default(false),
      cursor,
      limit: limitUpTo(2_000, 500),
    }),
    result: page('records', ExportRecord),
    callerGone: 'cancel',
  },
  'loom.tree_import': {
    description:
      'Takes exported records in order, in as many calls as needed; every hash is checked, what is already here is not doubled.',
    params: z.strictObject({
      tree: TreeId,
      records: z.array(ExportRecord).max(2_000),
      /** True in the last call: until then a new tree stays hidden. */
      done: z.boolean(),
      /** Whether models may work in the folder that the records name. */
      takes_project: z.boolean().default(false),
    }),
    result: z.strictObject({
      added: z.int().nonnegative(),
      present: z.int().nonnegative(),
      /** The number of referenced outputs that are missing, counted in the last call. */
      missing_outputs: z.int().nonnegative(),
      /** The tree as it is now; null until the last call. */
      tree: Tree.nullable(),
    }),
  },
  'loom.mark_set': {
    description: 'Points a mark at a node, or removes the mark when the node is null.',
    params: z.strictObject({
      tree: TreeId,
      name: MarkName,
      node: NodeId.nullable(),
      /** Where the mark must be, null for nowhere; a conflict when it is elsewhere. One that is as wanted already is no conflict. */
      expected: NodeId.nullable().optional(),
    }),
    result: z.strictObject({ mark: Mark.nullable() }),
  },
  'loom.mark_list': {
    description: 'Lists the marks of a tree by name.',
    params: z.strictObject({ tree: TreeId, cursor, limit: limitUpTo(1_000, 200) }),
    result: page('marks', Mark),
  },
  'loom.branch_archive': {
    description: 'Hides a node, with the rest of its step, and all that grows from it.',
    params: z.strictObject({ tree: TreeId, node: NodeId }),
    result: Tree,
  },
  'loom.branch_restore': {
    description: 'Shows an archived branch again; any node of its first step names it.',
    params: z.strictObject({ tree: TreeId, node: NodeId }),
    result: Tree,
  },
  'loom.blob_write': {
    description: 'Stores bytes, piece by piece; with the last piece they are durable and named by their SHA-256.',
    params: z.strictObject({
      /** Chosen by the caller; pieces of one upload carry the same. */
      upload: z.uuid(),
      offset: z.int().nonnegative(),
      data: z.base64().max(2 * 1024 * 1024),
      done: z.boolean(),
    }),
    result: z.strictObject({ output: Output.nullable() }),
  },
  'loom.blob_read': {
    description: 'Reads a piece of a stored output.',
    params: z.strictObject({
      sha256: Sha256,
      offset: z.int().nonnegative().default(0),
      limit: z
        .int()
        .positive()
        .max(1024 * 1024)
        .default(1024 * 1024),
    }),
    result: z.strictObject({ data: z.base64(), size_bytes: z.int().nonnegative() }),
    callerGone: 'cancel',
  },
});
