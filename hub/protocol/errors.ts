import * as z from 'zod';

/** One number per kind of failure. The first five are fixed by JSON-RPC 2.0, the others by this table. */
export const ERROR_CODES = {
  parse: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal: -32603,
  not_found: -32001,
  ambiguous: -32002,
  conflict: -32003,
  inside_step: -32004,
  archived: -32005,
  unauthorised: -32006,
  limit: -32007,
  disk_full: -32008,
  storage_failed: -32009,
  cancelled: -32010,
  resolve_failed: -32011,
  sandbox_unavailable: -32012,
  approval_needed: -32013,
  version: -32014,
  unreachable: -32015,
  no_key: -32020,
  rejected: -32021,
  rate_limited: -32022,
  overloaded: -32023,
  context_too_long: -32024,
  network: -32025,
} as const;

export type ErrorKind = keyof typeof ERROR_CODES;

/** Something that one can do, named by a hint: each front words it for itself, and says what it has instead. */
const HintAction = z.discriminatedUnion('kind', [
  /** A command of the command line, with the words that follow it as a person types them. */
  z.strictObject({ kind: z.literal('command'), command: z.string(), arguments: z.array(z.string()).readonly() }),
  /** An option of the command that failed. */
  z.strictObject({ kind: z.literal('option'), option: z.string(), value: z.string() }),
  /** A method of this protocol. */
  z.strictObject({ kind: z.literal('method'), method: z.string() }),
]);
export type HintAction = z.infer<typeof HintAction>;

/** What to do next: prose, or prose in pieces with what it names between them. */
export const Hint = z.union([z.string(), z.array(z.union([z.string(), HintAction])).readonly()]);
export type Hint = z.infer<typeof Hint>;

/** The `data` of every error response. */
export const ErrorData = z.strictObject({
  kind: z.enum(Object.keys(ERROR_CODES) as [ErrorKind, ...ErrorKind[]]), // Object.keys forgets the keys' type
  hint: Hint.nullable(),
  /** Whether the same call may succeed later, unchanged. */
  retryable: z.boolean(),
  /** What a program needs to act on it, such as the ids of the candidates. */
  details: z.record(z.string(), z.json()),
});
export type ErrorData = z.infer<typeof ErrorData>;
