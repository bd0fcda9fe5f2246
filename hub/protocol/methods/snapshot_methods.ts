import * as z from 'zod';
import { methods } from '../method.js';
import { NodeId, Sha256, TreeId, TurnId } from '../node.js';
import { cursor, limitUpTo, page } from '../page_schema.js';
import { AbsolutePath } from '../turn.js';

/**
 * Why files were noted. Those that were `left` count for that node alone; those that somebody `stood` at or `carried`, for none.
 * What was `copied` is that of a turn in a folder of its own.
 */
export const SnapshotKind = z.enum(['before', 'after', 'stood', 'left', 'carried', 'copied']);

/** What was noted for a node, as exports carry it. */
export const NotedSnapshot = z.strictObject({
  node: NodeId,
  /** The project: the SHA-256 of its real path. */
  folder: Sha256,
  root: Sha256,
  moment: z.enum(['before', 'after', 'left', 'copied']),
  at_ms: z.int().nonnegative(),
});
export type NotedSnapshot = z.infer<typeof NotedSnapshot>;

const Found = z.strictObject({ node: NodeId, root: Sha256, at_ms: z.int().nonnegative() }).nullable();

/** A folder in which one turn works, as if it were the project. */
const Copy = z.strictObject({
  ...{ turn: TurnId, tree: TreeId, node: NodeId },
  /** The project: the SHA-256 of its real path, and the path. */
  ...{ folder: Sha256, project: AbsolutePath },
  /** What people call it, such as the model. */
  label: z.string().max(200),
  /** The command that tells whether its work is good; null for none. */
  check: z.string().max(10_000).nullable(),
  /** Names the files that it began with. */
  base: Sha256,
});

export const snapshotMethods = methods({
  'loom.copy_add': {
    description: 'Notes that a turn works in a copy of its project; for the tools.',
    params: Copy,
    result: z.strictObject({}),
  },
  'loom.copy_list': {
    description: 'Lists the copies in which turns of a tree work, or that of one turn; the newest race first.',
    params: z.strictObject({
      ...{ tree: TreeId.nullable().default(null), turn: TurnId.nullable().default(null) },
      /** Only those that began at this node, or at the nearest one above it where some did. */
      node: NodeId.nullable().default(null),
    }),
    result: z.strictObject({ copies: z.array(Copy.extend({ at_ms: z.int().nonnegative() })) }),
  },
  'loom.copy_remove': {
    description: 'Forgets a copy; for the tools, which remove its folder.',
    params: z.strictObject({ turn: TurnId }),
    result: z.strictObject({ removed: z.boolean() }),
  },
  'loom.snapshot_add': {
    description: 'Notes which files a project had at a node; for the tools.',
    params: z.strictObject({
      tree: TreeId,
      node: NodeId,
      /** The project: the SHA-256 of its real path. */
      folder: Sha256,
      /** Names the files. */
      root: Sha256,
      kind: SnapshotKind.default('after'),
    }),
    result: z.strictObject({ added: z.boolean() }),
  },
  'loom.snapshot_find': {
    description:
      'Finds which files a project had at a node: those noted last for it or for the nearest node above, else those before the first turn.',
    params: z.strictObject({ tree: TreeId, node: NodeId.nullable().default(null), folder: Sha256 }),
    result: z.strictObject({
      /** Null without a node, and when nothing was noted on its path. */
      at: Found,
      /** The same without what somebody has left at the node itself. */
      made: Found,
      /** What was noted last for the tree, but for what was carried. */
      newest: Found,
      /** What was noted last for the project, in any tree. */
      latest: Sha256.nullable(),
    }),
  },
  'loom.snapshot_list': {
    description: 'Lists which files were noted for the nodes of a tree, the oldest first, for an export.',
    params: z.strictObject({ tree: TreeId, cursor, limit: limitUpTo(1_000, 1_000) }),
    result: page('snapshots', NotedSnapshot),
  },
  'loom.snapshot_import': {
    description:
      'Notes which files a project had at nodes, as an export tells it. What was noted last for the project stays that.',
    params: z.strictObject({
      ...{ tree: TreeId, snapshots: z.array(NotedSnapshot).max(1_000) },
      /** What the conversation knows of the folder from then on; null where it has been there. */
      stands: NotedSnapshot.pick({ node: true, folder: true, root: true }).nullable().default(null),
      /** Which hub has noted it: of what another one has made it changes nothing that is noted. Null for an export. */
      hub: z.uuid().nullable().default(null),
    }),
    result: z.strictObject({ added: z.int().nonnegative() }),
  },
  'loom.snapshot_roots': {
    description: 'Lists the files that are noted for any node, of one project.',
    params: z.strictObject({ folder: Sha256 }),
    result: z.strictObject({ roots: z.array(Sha256) }),
  },
  'loom.snapshot_folders': {
    description: 'Lists the projects of which files are noted.',
    params: z.strictObject({}),
    result: z.strictObject({ folders: z.array(Sha256) }),
  },
});
