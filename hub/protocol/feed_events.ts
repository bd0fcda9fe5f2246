import * as z from 'zod';
import { Mark, Node, NodeId, Tree, TreeId } from './node.js';

const seq = z.int().nonnegative();

/** One entry of the feed: every node and every change, in the order in which they became durable. */
export const FeedEvent = z.discriminatedUnion('kind', [
  /** With the `seq` of its parent; null for a root. */
  z.strictObject({ kind: z.literal('node_created'), seq, parent_seq: seq.nullable(), node: Node }),
  z.strictObject({ kind: z.literal('tree_created'), seq, tree: Tree }),
  z.strictObject({ kind: z.literal('tree_renamed'), seq, tree: TreeId, name: z.string().nullable() }),
  z.strictObject({ kind: z.literal('tree_archived'), seq, tree: TreeId }),
  z.strictObject({ kind: z.literal('tree_restored'), seq, tree: TreeId, name: z.string().nullable() }),
  z.strictObject({ kind: z.literal('tree_purged'), seq, tree: TreeId }),
  z.strictObject({ kind: z.literal('branch_archived'), seq, tree: TreeId, node: NodeId }),
  z.strictObject({ kind: z.literal('branch_restored'), seq, tree: TreeId, node: NodeId }),
  /** Marks that earlier versions set are told without the `seq` of their node. */
  z.strictObject({ kind: z.literal('mark_set'), seq, tree: TreeId, mark: Mark.partial({ seq: true }) }),
  z.strictObject({ kind: z.literal('mark_removed'), seq, tree: TreeId, name: z.string() }),
]);
export type FeedEvent = z.infer<typeof FeedEvent>;

/** What a watcher is sent: the feed, and word of where it stands in it. */
export const WatchEvent = z.discriminatedUnion('kind', [
  ...FeedEvent.options,
  /** Everything up to `seq` has been sent; what follows is live. */
  z.strictObject({ kind: z.literal('watch_live'), seq, epoch: z.string() }),
  /** The position asked for is not of this feed: forget what is known; what follows is live. */
  z.strictObject({ kind: z.literal('watch_reset'), seq, epoch: z.string() }),
]);
export type WatchEvent = z.infer<typeof WatchEvent>;
