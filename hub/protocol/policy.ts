import * as z from 'zod';

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
  }),
]);
export type Policy = z.infer<typeof Policy>;
export type Contained = Extract<Policy, { kind: 'contained' }>;
