import * as z from 'zod';
import { DECIDED_AT_MS_MAX } from '../limits.js';
import { methods } from '../method.js';
import { MarkName, NodeId, Sha256, Tree, TreeId, TreeName } from '../node.js';
import { limitUpTo } from '../page_schema.js';
import { AbsolutePath } from '../turn.js';
import { NotedSnapshot } from './snapshot_methods.js';
import { ExportRecord } from './tree_methods.js';

const count = z.int().nonnegative();

/** What a person calls a PostgreSQL that trees are shared over: the key `remote.<name>` has its address. */
export const RemoteName = z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, { message: 'must be the name of a remote' });

const stamp = { at_ms: z.int().nonnegative().max(DECIDED_AT_MS_MAX), hub: z.uuid() };

/** What the last writer decides: by the time, then the hub. Node, mark and tree are those of the tree that it is sent for. */
export const Register = z.discriminatedUnion('of', [
  z.strictObject({ of: z.literal('name'), value: TreeName.nullable(), ...stamp }),
  z.strictObject({ of: z.literal('archived'), value: z.boolean(), ...stamp }),
  z.strictObject({ of: z.literal('mark'), name: MarkName, value: NodeId.nullable(), ...stamp }),
  z.strictObject({ of: z.literal('branch'), node: NodeId, value: z.boolean(), ...stamp }),
]);
export type Register = z.infer<typeof Register>;

/** One entry of a shared tree: a node or a whole step, with the settings before it, or a register. */
export const SharedBody = z.union([
  z.strictObject({ records: z.array(ExportRecord).min(1).max(2_000) }),
  z.strictObject({ register: Register }),
]);
export type SharedBody = z.infer<typeof SharedBody>;

/** What an entry of a hub says, or why it cannot be read. */
export function parseSharedBody({ hub, body }: { hub: string; body: string }): SharedBody | string {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return 'it is not JSON'; // what else of it could be told is the writer's text
  }
  const parsed = SharedBody.safeParse(json);
  if (!parsed.success) return 'it is of no known form';
  const isForeign = 'register' in parsed.data && parsed.data.register.hub !== hub;
  return isForeign ? 'it decides in the name of another hub' : parsed.data;
}

/** Of which folder recorded files go along with a tree: snapshots sent up to this one, sets of the remote here up to that one. */
const SharedFolder = z.strictObject({ project: AbsolutePath, sent: count, fetched: count });
export type SharedFolder = z.infer<typeof SharedFolder>;

/** What has become of the recorded files of a tree. */
const SyncedFiles = z.strictObject({
  tree: TreeId,
  /** Snapshots of nodes, and bytes. */
  ...{ sent: count, received: count, bytes: count },
  /** Paths of the largest of them. */
  paths: count,
  /** Sets of others that do not prove: they are passed over, and looked at again later. */
  refused: count,
  /** Why it could not be gone on with, or the first set that was refused; null when all is well. */
  problem: z.string().nullable(),
});
export type SyncedFiles = z.infer<typeof SyncedFiles>;

/** How far a tree has been taken over, each way. */
const Share = z.strictObject({
  remote: z.string(),
  tree: Tree,
  /** Nodes up to this number of the feed are at the remote. */
  sent: count,
  /** Entries up to this number of the remote are here. */
  fetched: count,
  /** How many nodes are not at the remote; at least one if something is not. */
  to_send: count,
  /** Null where recorded files stay here. */
  files: SharedFolder.nullable(),
});
export type Share = z.infer<typeof Share>;

const shareKey = { remote: RemoteName, tree: TreeId };

export const sharingMethods = methods({
  'loom.share_set': {
    description: 'Notes that a tree is shared, and how far it has been sent.',
    params: z.strictObject({ ...shareKey, sent: count.default(0), fetched: count.default(0) }),
    result: z.strictObject({ hub: z.uuid() }),
    access: 'internal',
  },
  'loom.share_files_set': {
    description: 'Notes whether the recorded files of a folder go along with a shared tree, and how far they have.',
    params: z.strictObject({ ...shareKey, files: SharedFolder.nullable() }),
    result: z.strictObject({ set: z.boolean() }),
    access: 'internal',
  },
  'loom.share_files_read': {
    description:
      'Lists which files were noted for those nodes of a shared tree that are at the remote, the oldest first.',
    params: z.strictObject({ ...shareKey, folder: Sha256, after: count }),
    result: z.strictObject({
      notes: z.array(NotedSnapshot.omit({ folder: true })),
      /** The number up to which this is all; the next call reads after it. */
      to: count,
      more: z.boolean(),
    }),
    access: 'internal',
  },
  'loom.share_remove': {
    description: 'Notes that a tree is shared no longer.',
    params: z.strictObject(shareKey),
    result: z.strictObject({ removed: z.boolean() }),
    access: 'internal',
  },
  'loom.share_list': {
    description: 'Lists what is shared, by remote, and the number of this hub in a shared tree.',
    params: z.strictObject({ remote: RemoteName.nullable().default(null), tree: TreeId.nullable().default(null) }),
    result: z.strictObject({ hub: z.uuid(), shares: z.array(Share) }),
    access: 'internal',
  },
  'loom.share_read': {
    description: 'Reads what a remote may lack of a tree, as entries that `loom.share_apply` takes.',
    params: z.strictObject({ tree: TreeId, after: count, limit: limitUpTo(2_000, 500) }),
    result: z.strictObject({
      entries: z.array(
        z.strictObject({
          id: z.string(),
          /** How long its body is, of which there is one for each at the end. */
          bytes: count,
          /** For what another hub has decided: the same as a decision of this hub. */
          own: z.strictObject({ id: z.string(), body: z.string() }).optional(),
        }),
      ),
      /** The stored outputs that the nodes of these entries point at. */
      outputs: z.array(Sha256),
      /** The number up to which this is all; the next call reads after it. */
      to: count,
      more: z.boolean(),
      bodies: z.array(SharedBody),
    }),
    access: 'internal',
  },
  'loom.share_apply': {
    description:
      'Takes entries of a remote in their order; every hash is proven, and what is here already is not doubled.',
    params: z.strictObject({
      ...shareKey,
      /** What a new tree must belong to; null for one that may be anything. */
      owner: TreeId.nullable(),
      /** Entries of one hub that follow each other, and whose that is; each body is the JSON of a `SharedBody`. */
      runs: z.array(z.strictObject({ hub: z.uuid(), by: z.string().max(200), bodies: z.array(z.string()).max(2_000) })),
      fetched: count,
    }),
    result: z.strictObject({ added: count }),
    access: 'internal',
  },

  'loom.share_check': {
    description:
      'Proves entries of a remote in their order, without taking them; fails with the first that does not prove.',
    params: z.strictObject({
      ...{ tree: TreeId, bodies: z.array(SharedBody).max(2_000) },
      /** What they stand on: nodes with their hashes, and settings. */
      ...{ nodes: z.array(z.strictObject({ id: NodeId, hash: Sha256 })), settings: z.array(Sha256) },
    }),
    result: z.strictObject({}),
    access: 'internal',
  },

  'sharing.remote_init': {
    description: 'Makes in a PostgreSQL what trees are shared over, or brings it up to date.',
    params: z.strictObject({ remote: RemoteName }),
    result: z.strictObject({ version: count, made: z.boolean(), roles: z.array(z.string()) }),
  },
  'sharing.remote_check': {
    description: 'Tries what a remote allows.',
    params: z.strictObject({ remote: RemoteName }),
    result: z.strictObject({
      ...{ server: z.string(), encrypted: z.boolean(), version: count.nullable() },
      ...{ reads: z.boolean(), writes: z.boolean(), trees: count, hubs: count },
    }),
  },
  'sharing.remote_fsck': {
    description:
      'Proves all that a remote has: numbers, hashes, parents, steps and outputs; damaged entries can be put back from here.',
    params: z.strictObject({ remote: RemoteName, repair: z.boolean().default(false) }),
    result: z.strictObject({
      ...{ trees: count, entries: count, nodes: count, outputs: count },
      /** Sets of recorded files. */
      file_sets: count,
      /** Nodes of a tree so large that their parents were not remembered: their hashes are not proven. */
      ...{ unproven: count, repaired: count, problem_count: count },
      problems: z
        .array(z.strictObject({ tree: TreeId.nullable(), entry: count.nullable(), problem: z.string() }))
        .max(100),
    }),
    callerGone: 'cancel',
  },
  'sharing.tree_list': {
    description: 'Lists the trees of a remote, the newest activity first.',
    params: z.strictObject({ remote: RemoteName, limit: limitUpTo(1_000, 200) }),
    result: z.strictObject({
      trees: z.array(
        z.strictObject({
          ...{ id: TreeId, name: z.string().nullable(), title: z.string(), nodes: count, updated_at_ms: count },
          /** Who wrote last: person and machine, as they say themselves. */
          by: z.string(),
          purged: z.boolean(),
          /** Whether it is shared here. */
          shared: z.boolean(),
        }),
      ),
    }),
  },
  'sharing.share': {
    description: 'Shares a tree and the sub-sessions it owns over a remote, and sends them.',
    params: z.strictObject({
      ...shareKey,
      /** The real path of the folder whose recorded files go along from now on; null where it stays as it is. */
      files: AbsolutePath.nullable().default(null),
    }),
    result: z.strictObject({ trees: count, sent: count, files: z.array(SyncedFiles) }),
  },
  'sharing.unshare': {
    description: 'Shares a tree no longer; with `purge` it is deleted at the remote as well.',
    params: z.strictObject({ ...shareKey, purge: z.boolean().default(false) }),
    result: z.strictObject({ trees: count, purged: z.boolean() }),
  },
  'sharing.list': {
    description: 'Lists what is shared, and what has not been sent yet.',
    params: z.strictObject({}),
    result: z.strictObject({ shares: z.array(Share) }),
  },
  'sharing.sync': {
    description: 'Sends what a remote lacks of the shared trees and fetches what is new there.',
    params: z.strictObject({
      remote: RemoteName,
      /** Only this one; it need not be here yet, if it is fetched. */
      tree: TreeId.nullable().default(null),
      ...{ sends: z.boolean().default(true), fetches: z.boolean().default(true) },
      /** The real path of the folder for which recorded files of that one are taken from now on; null where it stays as it is. */
      files: AbsolutePath.nullable().default(null),
    }),
    result: z.strictObject({
      files: z.array(SyncedFiles),
      trees: z.array(
        z.strictObject({
          ...{ tree: TreeId, title: z.string(), sent: count, received: count },
          /** Why it could not be gone on with; null when all is well. */
          problem: z.string().nullable(),
        }),
      ),
    }),
    event: z.strictObject({ kind: z.literal('shared'), tree: TreeId, sent: count, received: count }),
    callerGone: 'cancel',
  },
});
