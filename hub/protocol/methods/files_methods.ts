import * as z from 'zod';
import { methods } from '../method.js';
import { NodeId, Sha256, TreeId, TurnId } from '../node.js';
import { AbsolutePath } from '../turn.js';
import { onTools } from './tool_methods.js';

const count = z.int().nonnegative();

/** A path that differs; a folder's ends with a slash. */
export const FileChange = z.strictObject({
  path: z.string(),
  kind: z.enum(['added', 'changed', 'removed']),
  /** Null where they were not counted, or are no lines. */
  lines: z.strictObject({ added: count, removed: count }).nullable(),
});
export type FileChange = z.infer<typeof FileChange>;

/** A path that stays as it is, and why. */
export const KeptFile = z.strictObject({ path: z.string(), why: z.string() });

/** A path that is not recorded, and why. */
export const LeftOutFile = z.strictObject({ path: z.string(), why: z.string() });

const project = AbsolutePath;
const Place = { tree: TreeId, node: NodeId };

/** `changed` counts all; the lists name the first 2,000. */
const Restored = z.strictObject({ changed: count, kept: z.array(KeptFile) });

export const filesMethods = methods({
  'files.snapshot': {
    ...onTools,
    description: 'Records the files of a project for a node, unless that is turned off; tells once why it cannot.',
    params: z.strictObject({
      ...{ project, ...Place },
      moment: z.enum(['before', 'after']).default('after'),
      /** The turn whose copy of the project is recorded; null for the project itself. */
      copy: TurnId.nullable().default(null),
      /** Whether the caller tells a person what cannot be recorded; else the next one who does is told. */
      tells: z.boolean().default(true),
    }),
    result: z.strictObject({
      /** Names what was recorded; null for nothing. */
      root: Sha256.nullable(),
      told: z.array(z.string()),
    }),
  },
  'files.settle': {
    ...onTools,
    description: 'Answers when what was to be recorded of a project is, with what nobody was told of it yet.',
    params: z.strictObject({
      project,
      /** Whether that counts as told then. */
      tells: z.boolean().default(true),
    }),
    result: z.strictObject({ told: z.array(z.string()) }),
  },
  'files.status': {
    ...onTools,
    description:
      'Tells what has changed in a project since its files were last recorded for a tree; without one only what can be recorded.',
    params: z.strictObject({ project, tree: TreeId.nullable() }),
    result: z.strictObject({
      /** Where that was; null when it never was. */
      recorded: z.strictObject({ node: NodeId, at_ms: count }).nullable(),
      files: count,
      /** Of all that is recorded of the project. */
      bytes: count,
      changed: count,
      changes: z.array(FileChange),
      left_out: z.array(LeftOutFile),
    }),
  },
  'files.diff': {
    ...onTools,
    description: 'Compares the files of a node with those of another, or with what is there.',
    params: z.strictObject({
      ...{ project, ...Place, other: NodeId.nullable().default(null) },
      detail: z.enum(['names', 'lines', 'patch']).default('names'),
    }),
    result: z.strictObject({
      changed: count,
      changes: z.array(FileChange),
      /** What git applies, in base 64; null unless it was wanted. */
      patch: z.string().nullable(),
    }),
  },
  'files.count': {
    ...onTools,
    description: 'Counts the paths in which the files of nodes differ from those of one node, by what is recorded.',
    params: z.strictObject({ ...{ project, ...Place }, nodes: z.array(NodeId).max(200) }),
    /** In the order of the nodes; null where none are recorded. */
    result: z.strictObject({ counts: z.array(count.nullable()) }),
  },
  'files.plan': {
    ...onTools,
    description: 'Tells what files.restore would change, and what it would leave.',
    params: z.strictObject({ project, ...Place, exact: z.boolean().default(false) }),
    result: Restored.extend({ changes: z.array(FileChange) }),
  },
  'files.restore': {
    ...onTools,
    description:
      'Brings the files of a project to those of a node. What changed since they were last recorded for the tree stays, unless `exact`; all of it can be taken back.',
    params: z.strictObject({
      ...{ project, ...Place, exact: z.boolean().default(false) },
      /** Where one stands, to which the files belong from then on; null for the node itself. */
      stands: NodeId.nullable().default(null),
    }),
    result: Restored,
  },
  'files.move': {
    ...onTools,
    description: 'Takes the files of a project along when somebody goes from one node of a tree to another.',
    params: z.strictObject({
      ...{ project, ...Place },
      /** The node that is left. */
      from: NodeId,
      /**
       * What becomes of changes that no conversation has made: `carry` takes them along, `leave` keeps them for the node that is left. With
       * `ask` nothing is done when there are some, with `look` nothing at all; `keep` leaves all files as they are.
       */
      changes: z.enum(['look', 'ask', 'carry', 'leave', 'keep']).default('ask'),
    }),
    result: Restored.extend({
      /** `unknown`: none are recorded in the tree; `unrecorded`: none for the node. `own`: its branch works in a copy. `busy`: a turn runs in the project. `differs`: nothing was done. */
      outcome: z.enum(['unknown', 'unrecorded', 'own', 'same', 'busy', 'differs', 'kept', 'moved']),
      /** What differs between both nodes; the lists name the first 2,000. */
      changes: z.array(FileChange),
      /** Changes that no conversation has made. */
      own: z.strictObject({ changed: count, changes: z.array(FileChange) }),
    }),
  },
  'files.take': {
    ...onTools,
    description:
      'Brings what a turn has changed in its copy, or a branch since a node above it, into the project: three-way, texts merged line by line. What cannot be merged stays as it is.',
    params: z.strictObject({
      ...Place,
      of: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('copy'), turn: TurnId }),
        z.strictObject({ kind: z.literal('branch'), project, node: NodeId, since: NodeId }),
      ]),
      /** Files and folders; all when empty. */
      paths: z.array(z.string().min(1).max(4_096)).max(1_000).default([]),
      /** Paths of which the other side is taken where they cannot be merged. */
      theirs: z.array(z.string().min(1).max(4_096)).max(1_000).default([]),
      /** Only tells what would be done. */
      look: z.boolean().default(false),
    }),
    result: Restored.extend({ changes: z.array(FileChange), merged: z.array(z.string()) }),
  },
  'files.copy_make': {
    ...onTools,
    description:
      'Makes a copy of a project for a turn that is about to begin: it works there as if it were the project.',
    params: z.strictObject({
      ...{ project, ...Place, turn: TurnId, label: z.string().max(200) },
      check: z.string().max(10_000).nullable().default(null),
      /** Whether it gets the files that are recorded for the node, where some are, and not those that are there now. */
      as_recorded: z.boolean().default(false),
    }),
    result: z.strictObject({
      files: count,
      /** What of installed packages is not in it. */
      told: z.array(z.string()),
    }),
  },
  'files.copy_go_on': {
    ...onTools,
    description:
      'Gives a turn the copy that its branch has worked in, or, where somebody works in that or it is gone, one with the same files.',
    params: z.strictObject({ ...Place, turn: TurnId }),
    result: z.strictObject({}),
  },
  'files.copy_list': {
    ...onTools,
    description: 'Lists the copies in which turns of a tree work, or of all trees.',
    params: z.strictObject({ tree: TreeId.nullable().default(null) }),
    result: z.strictObject({
      copies: z.array(
        z.strictObject({
          ...{ turn: TurnId, tree: TreeId, node: NodeId, project, label: z.string() },
          ...{ check: z.string().nullable(), at_ms: count },
          /** On the disk; null when the folder is gone. */
          bytes: count.nullable(),
        }),
      ),
    }),
  },
  'files.copy_remove': {
    ...onTools,
    description: 'Removes a copy of a project; what was recorded of it stays.',
    params: z.strictObject({ turn: TurnId }),
    result: z.strictObject({ removed: z.boolean() }),
  },
  'files.undo': {
    ...onTools,
    description:
      'Takes back the last files.restore in a project, or the last files.undo; the place is where one stands.',
    params: z.strictObject({ project, ...Place }),
    result: Restored,
  },
  'files.check': {
    ...onTools,
    description: 'Checks what is recorded of projects: each pack, and whether all that snapshots need is there.',
    params: z.strictObject({}),
    result: z.strictObject({
      ...{ projects: count, snapshots: count, bytes: count },
      /** Bytes that no snapshot needs: the next purge removes them. */
      unneeded: count,
      /** The first thousand. */
      problems: z.array(z.string()),
    }),
  },
  'files.repair': {
    ...onTools,
    description:
      'Sets damaged packs of recorded files aside, stores again what is whole in them, and, where nothing is lost, removes what nobody needs.',
    params: z.strictObject({}),
    result: z.strictObject({
      /** Packs. */
      aside: count,
      /** Contents that were read back from them. */
      saved: count,
      /** Bytes. */
      removed: count,
    }),
  },
  'files.sweep': {
    ...onTools,
    description: 'Removes the files that were recorded for purged trees only.',
    params: z.strictObject({}),
    result: z.strictObject({ swept: count }),
  },
});
