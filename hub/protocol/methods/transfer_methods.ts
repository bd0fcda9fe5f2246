import * as z from 'zod';
import { methods } from '../method.js';
import { Sha256, TreeId } from '../node.js';
import { AbsolutePath } from '../turn.js';
import { onTools } from './tool_methods.js';

const count = z.int().nonnegative();

/** Recorded files under way, to a file or from one. */
export const TransferId = z.uuid().brand<'TransferId'>();
export type TransferId = z.infer<typeof TransferId>;

/** Where they wait: the project they belong to, by the SHA-256 of its real path. */
const Transfer = { folder: Sha256, transfer: TransferId };
/** More are in no conversation, and in no frame. */
const roots = z.array(Sha256).max(90_000);

export const transferMethods = methods({
  'files.export_begin': {
    ...onTools,
    description:
      'Puts together what is recorded of a project for the nodes of a tree, as packs to read; where that is nothing, of the folder of which most is.',
    params: z.strictObject({
      ...{ tree: TreeId, project: AbsolutePath },
      /** Of this project alone, these files, without what others of it have that whoever gets the packs knows. */
      wanted: z.strictObject({ roots, known: roots }).nullable().default(null),
    }),
    result: z.strictObject({
      /** Null where nothing is recorded. */
      begun: z
        .strictObject({
          ...Transfer,
          packs: z.array(z.strictObject({ sha256: Sha256, size_bytes: count })),
          /** What is damaged, or not there any more. */
          lost: z.array(Sha256),
          /** Paths of the largest snapshot. */
          files: count,
        })
        .nullable(),
      /** Other folders of which something is recorded for the tree. */
      others: count,
    }),
  },
  'files.export_read': {
    ...onTools,
    description: 'Reads a piece of such a pack.',
    params: z.strictObject({ ...Transfer, pack: Sha256, offset: count }),
    result: z.strictObject({ data: z.base64() }),
  },
  'files.import_begin': {
    ...onTools,
    description: 'Begins to take in files that were recorded elsewhere, for a project.',
    params: z.strictObject({ project: AbsolutePath }),
    result: z.strictObject(Transfer),
  },
  'files.import_write': {
    ...onTools,
    description: 'Takes a piece of a pack.',
    params: z.strictObject({ ...Transfer, pack: Sha256, offset: count, data: z.base64().max(2 * 1024 * 1024) }),
    result: z.strictObject({}),
  },
  'files.import_check': {
    ...onTools,
    description:
      'Refuses packs that are not what their names and the names in them say, or lack something of these files.',
    params: z.strictObject({ ...Transfer, roots }),
    result: z.strictObject({ files: count }),
  },
  'files.import_end': {
    ...onTools,
    description: 'Checks the same again, and stores these files.',
    params: z.strictObject({
      ...{ ...Transfer, roots },
      /** Whether the packs need not have what is stored of the project already. */
      partial: z.boolean().default(false),
    }),
    result: z.strictObject({
      files: count,
      /** Names the files of an empty folder. */
      empty: Sha256,
    }),
  },
  'files.transfer_drop': {
    ...onTools,
    description: 'Removes packs that were under way.',
    params: z.strictObject(Transfer),
    result: z.strictObject({}),
  },
});
