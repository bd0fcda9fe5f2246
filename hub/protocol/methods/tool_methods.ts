import * as z from 'zod';
import { methods } from '../method.js';
import { Blocks, External, Node, NodeId, TreeId } from '../node.js';
import { Policy } from '../policy.js';

/** The node after which a call is made: its branch says in which folder, and where its result goes. */
const Place = z.strictObject({ tree: TreeId, node: NodeId });

const tool = {
  /** The id of the call, and of the node that it becomes. */
  id: NodeId.optional(),
  place: Place.nullable().default(null),
  /** Whether the result is appended at the place, whatever becomes of the caller; else that is the caller's to do. */
  append: z.boolean().default(false),
  /** The model's own id of this call; null for a person's. */
  call_id: z.string().min(1).max(200).nullable().default(null),
};
/** Where paths that are not absolute begin; null for the folder of the branch. */
const cwd = z.string().max(4_096).nullable().default(null);
const path = z.string().min(1).max(4_096);
const count = z.int().nonnegative();
const bytes = z.int().positive();

/** What a call came to: what a model sees of it, and what the node keeps. */
export const ToolAnswer = z.strictObject({
  blocks: Blocks,
  external: External,
  /** The node, when one was appended. */
  node: Node.nullable(),
  /** True when the place had a child already, so that both writers can be told. */
  branched: z.boolean(),
});
export type ToolAnswer = z.infer<typeof ToolAnswer>;

/** A bash session. A folder is named by it, so its characters lead nowhere else. */
export const BashSessionId = z
  .string()
  .regex(/^session-[0-9a-f-]{8,36}$/, { message: 'must be session- and 8 to 36 hexadecimal digits or dashes' })
  .brand<'BashSessionId'>();
export type BashSessionId = z.infer<typeof BashSessionId>;

/** How commands of a session are kept apart from the rest of the machine. */
export const SandboxKind = z.enum(['none', 'bubblewrap', 'util-linux', 'sandbox-exec']);
export type SandboxKind = z.infer<typeof SandboxKind>;

/** What a command prints while it runs, in the order in which it arrived. */
export const CommandEvent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('started'), id: NodeId, cwd: z.string(), sandbox: SandboxKind }),
  z.strictObject({
    kind: z.literal('output'),
    from: z.enum(['stdout', 'stderr']),
    /** Where it begins in the whole output. */
    offset: count,
    /** Base64. */
    data: z.string(),
  }),
  /** Bytes that are not told any more, because the reader came too late for them. */
  z.strictObject({ kind: z.literal('skipped'), offset: count, bytes: count }),
]);
export type CommandEvent = z.infer<typeof CommandEvent>;

const RunningCommand = z.strictObject({
  id: NodeId,
  session: z.string(),
  command: z.string(),
  cwd: z.string(),
  sandbox: SandboxKind,
  place: Place.nullable(),
  started_at_ms: count,
  output_bytes: count,
});

const onTools = { host: 'tools' } as const;

export const toolMethods = methods({
  'bash.open': {
    ...onTools,
    description: 'Opens a session for commands, or brings the folder and environment of one up to date.',
    params: z.strictObject({
      session: BashSessionId.optional(),
      cwd: z.string().max(4_096),
      /** The caller's own environment; null for the few variables that a model's commands get. */
      environment: z.record(z.string().max(32_768), z.string().max(1_048_576)).nullable(),
      umask: z.int().min(0).max(0o777).nullable().default(null),
      policy: Policy,
    }),
    result: z.strictObject({ session: BashSessionId, sandbox: SandboxKind }),
  },
  'bash.execute': {
    ...onTools,
    description: 'Runs a command to its end and keeps what it printed; the same id runs once.',
    params: z.strictObject({
      ...tool,
      session: BashSessionId,
      command: z.string().min(1).max(4_194_304),
      cwd,
      timeout_ms: z.int().positive().max(604_800_000).nullable().default(null),
      /** Whether it goes on when its caller goes away. */
      detached: z.boolean().default(false),
      stream: z.string().min(1).max(200).optional(),
    }),
    result: ToolAnswer,
    event: CommandEvent,
    callerGone: 'cancel',
  },
  'bash.cancel': {
    ...onTools,
    description: 'Ends a running command and all its processes, whoever started it.',
    params: z.strictObject({ id: NodeId }),
    result: z.strictObject({ cancelled: z.boolean() }),
  },
  'bash.close': {
    ...onTools,
    description: 'Ends the running commands of a session and forgets it.',
    params: z.strictObject({ session: BashSessionId }),
    result: z.strictObject({ closed: z.boolean() }),
  },
  'bash.list': {
    ...onTools,
    description: 'Lists the commands that are running, the oldest first.',
    params: z.strictObject({}),
    result: z.strictObject({ commands: z.array(RunningCommand) }),
  },
  'bash.follow': {
    ...onTools,
    description: 'Sends what a running command has printed, and goes on until it ends.',
    params: z.strictObject({ id: NodeId, offset: count.default(0), stream: z.string().min(1).max(200) }),
    result: z.strictObject({ total_bytes: count }),
    event: CommandEvent,
    callerGone: 'cancel',
  },
  'file.read': {
    ...onTools,
    description: 'Reads lines of a text file, or an image; what is binary is named as such.',
    params: z.strictObject({
      ...tool,
      path,
      cwd,
      /** The first line, counted from 1. */
      offset: z.int().positive().default(1),
      /** How many lines; null for all of the file. */
      limit: z.int().positive().nullable().default(2_000),
      policy: Policy,
    }),
    result: ToolAnswer,
    forModels: true,
    callerGone: 'cancel',
  },
  'file.write': {
    ...onTools,
    description: 'Writes a file whole, in one step; folders above it are made.',
    params: z.strictObject({ ...tool, path, cwd, content: z.string(), policy: Policy }),
    result: ToolAnswer,
    forModels: true,
  },
  'file.edit': {
    ...onTools,
    description: 'Replaces a text that stands exactly once in a file.',
    params: z.strictObject({
      ...tool,
      path,
      cwd,
      old_text: z.string().min(1),
      new_text: z.string(),
      policy: Policy,
    }),
    result: ToolAnswer,
    forModels: true,
  },
  'http.fetch': {
    ...onTools,
    description: 'Fetches a page over http or https, as text a reader can follow; private addresses are refused.',
    params: z.strictObject({
      ...tool,
      url: z.string().min(1).max(8_192),
      timeout_ms: z.int().positive().max(600_000).default(30_000),
      bytes_max: bytes.max(104_857_600).default(10_485_760),
      policy: Policy,
    }),
    result: ToolAnswer,
    callerGone: 'cancel',
  },
  'postgres.query': {
    ...onTools,
    description: 'Runs one reading query on a database that the configuration names.',
    params: z.strictObject({
      ...tool,
      connection: z.string().min(1).max(100),
      sql: z.string().min(1).max(1_048_576),
      rows_max: z.int().positive().max(100_000).default(1_000),
      bytes_max: bytes.max(104_857_600).default(1_048_576),
      timeout_ms: z.int().positive().max(600_000).default(30_000),
      policy: Policy,
    }),
    result: ToolAnswer,
    callerGone: 'cancel',
  },
  'tools.check': {
    ...onTools,
    description: 'Tells how the tools are: their process, and what keeps models’ commands in.',
    params: z.strictObject({}),
    result: z.strictObject({
      pid: z.int(),
      version: z.string(),
      memory_bytes: z.int(),
      running: count,
      sandbox: z.strictObject({
        kind: SandboxKind,
        /** What was tried from inside and failed, as it must. */
        holds: z.array(z.string()),
        /** Why nothing better works here; null when all is well. */
        problem: z.string().nullable(),
        hint: z.string().nullable(),
      }),
    }),
  },
});
