import * as z from 'zod';
import { Sha256, TurnId } from './node.js';

const AbsolutePath = z
  .string()
  .max(4_096)
  .regex(/^\/[^\0]*$/, { message: 'must be an absolute path' });
const Paths = z.array(AbsolutePath).max(100);

/**
 * What a call may touch. `open` is for what a person runs: as in their own shell. `contained` is for what a model or a
 * delegate runs, and the tools see to it: files by their real paths, commands by a sandbox.
 */
export const Policy = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('open') }),
  z.strictObject({
    kind: z.literal('contained'),
    network: z.boolean(),
    /** Folders and files that may be changed; they may be read as well. */
    writable: Paths,
    /** What else may be read besides the system's own files; null for everything but what is hidden. */
    readable: Paths.nullable(),
    /** A writable project that is the copy of a turn: what is seen at its path, and written there, is in the copy. */
    copy: z.strictObject({ project: AbsolutePath, folder: Sha256, turn: TurnId }).optional(),
  }),
]);
export type Policy = z.infer<typeof Policy>;
/** Which folder stands for a project. */
export type PolicyCopy = NonNullable<Contained['copy']>;
export type Contained = Extract<Policy, { kind: 'contained' }>;
