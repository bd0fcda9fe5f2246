import * as z from 'zod';
import { ErrorData } from '../../../hub/protocol/errors.js';
import { FileChange, KeptFile, LeftOutFile } from '../../../hub/protocol/methods/files_methods.js';
import { TransferId } from '../../../hub/protocol/methods/transfer_methods.js';
import { Sha256, TurnId } from '../../../hub/protocol/node.js';

const text = z.string();

/** The first line that a worker reads: where it finds its folders. */
export const WorkerStart = z.strictObject({
  /** The folder of the store that belongs to the project. */
  store: text,
  /** The turn whose copy the project is; null for the project itself. */
  copy: TurnId.nullable(),
  /** The project that a new copy is made of; null for everything else. */
  from: text.nullable(),
  /** What `from` is, whatever is mounted in its place meanwhile. */
  from_is: text.nullable(),
  /** Null where only the store is worked on. */
  project: z
    .strictObject({
      /** The top of the repository, and the names from there on, as byte strings. */
      top: text,
      start: z.array(text),
      /** Base64. */
      own_ignore_file: text.nullable(),
      /** What the top and the project are; null where nobody has looked. */
      is: z.strictObject({ top: text, project: text }).nullable(),
    })
    .nullable(),
});
export type WorkerStart = z.infer<typeof WorkerStart>;

const Move = { base: Sha256, target: Sha256, exact: z.boolean() };

/** What a worker is asked, one thing after the other. */
export const WorkerRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('snapshot') }),
  z.strictObject({
    ...{ kind: z.literal('diff'), before: Sha256, after: Sha256.nullable() },
    detail: z.enum(['names', 'lines', 'patch']),
  }),
  z.strictObject({ kind: z.literal('plan'), ...Move }),
  z.strictObject({ kind: z.literal('restore'), ...Move }),
  z.strictObject({
    ...{ kind: z.literal('move'), base: Sha256, target: Sha256 },
    /** What was recorded last, by whatever conversation: what differs from it is a person's. */
    known: Sha256,
    changes: z.enum(['ask', 'carry', 'leave']),
  }),
  z.strictObject({
    ...{ kind: z.literal('take'), base: Sha256, target: Sha256 },
    /** Files and folders; all when empty. Of what cannot be merged the target is taken at `theirs`. */
    ...{ paths: z.array(text), theirs: z.array(text), look: z.boolean() },
  }),
  z.strictObject({ kind: z.literal('undo') }),
  z.strictObject({ kind: z.literal('empty') }),
  z.strictObject({ kind: z.literal('packages') }),
  z.strictObject({ kind: z.literal('sweep'), roots: z.array(Sha256) }),
  z.strictObject({ kind: z.literal('check'), roots: z.array(Sha256) }),
  z.strictObject({ kind: z.literal('repair'), roots: z.array(Sha256) }),
  z.strictObject({
    ...{ kind: z.literal('export'), transfer: TransferId, roots: z.array(Sha256) },
    /** What of these it needs not have. */
    known: z.array(Sha256),
  }),
  z.strictObject({
    ...{ kind: z.literal('import'), transfer: TransferId, roots: z.array(Sha256), look: z.boolean() },
    /** Whether the packs need not have what is stored already. */
    partial: z.boolean(),
  }),
]);
export type WorkerRequest = z.infer<typeof WorkerRequest>;

/** What a worker has done and found; what a request does not concern is empty. */
export const WorkerReport = z.strictObject({
  /** What the project holds now. */
  root: Sha256.nullable(),
  files: z.int(),
  bytes: z.int(),
  /** How many paths were changed, or would be. */
  changed: z.int(),
  changes: z.array(FileChange),
  kept: z.array(KeptFile),
  left_out: z.array(LeftOutFile),
  /** Of a move: changes that no conversation has made, and what the project holds when it has ended; null when it has not begun. */
  own: z.strictObject({ changed: z.int(), changes: z.array(FileChange) }),
  moved: Sha256.nullable(),
  /** Base64. */
  patch: text.nullable(),
  /** What was merged line by line. */
  merged: z.array(text),
  /** Of a check: what is wrong with the store, and what nobody needs of it. */
  problems: z.array(text),
  unneeded: z.int(),
  /** Of a repair: packs set aside, contents read back from them, bytes removed. */
  repair: z.strictObject({ aside: z.int(), saved: z.int(), removed: z.int() }),
  /** Folders of packages that are not in a copy. */
  unshared: z.array(text),
  /** Of an export: snapshots that are not whole. */
  lost: z.array(Sha256),
});
export type WorkerReport = z.infer<typeof WorkerReport>;

/** What a worker says: an answer, or a question about the names in a folder of drafts that some process has open. */
export const WorkerMessage = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('report'), report: WorkerReport }),
  z.strictObject({ kind: z.literal('failure'), message: text, data: ErrorData }),
  z.strictObject({ kind: z.literal('open_files'), drafts: text }),
]);
export type WorkerMessage = z.infer<typeof WorkerMessage>;

/** The answer to that question. */
export const OpenNames = z.strictObject({ open: z.array(text) });
