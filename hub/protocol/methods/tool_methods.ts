import * as z from 'zod';
import { methods } from '../method.js';
import { Blocks, External, Node, NodeId, TreeId } from '../node.js';
import { Policy } from '../policy.js';
import { AbsolutePath } from '../turn.js';

/** The node that a call follows: its branch determines the folder, and the result is appended to it. */
const Place = z.strictObject({ tree: TreeId, node: NodeId });

/** The parameters of every tool call. */
export const tool = {
  /** The id of the call and of its node. */
  id: NodeId.optional(),
  place: Place.nullable().default(null),
  /** Whether the hub appends the result, even without the caller; otherwise the caller does. */
  append: z.boolean().default(false),
  /** The model's own id of this call; null for a person's. */
  call_id: z.string().min(1).max(200).nullable().default(null),
};
/** The base of relative paths; null for the folder of the branch. */
export const cwd = z.string().max(4_096).nullable().default(null);
export const path = z.string().min(1).max(4_096);
const count = z.int().nonnegative();
const bytes = z.int().positive();

/** The result of a call: the blocks for the model, and what the node stores. */
export const ToolAnswer = z.strictObject({
  blocks: Blocks,
  external: External,
  /** The node, when one was appended. */
  node: Node.nullable(),
  /** True when the parent had a child already, so that both writers can be told. */
  branched: z.boolean(),
});
export type ToolAnswer = z.infer<typeof ToolAnswer>;

/** The id of a bash session. It names a folder, so its characters are restricted. */
export const BashSessionId = z
  .string()
  .regex(/^session-[0-9a-f-]{8,36}$/, { message: 'must be session- and 8 to 36 hexadecimal digits or dashes' })
  .brand<'BashSessionId'>();
export type BashSessionId = z.infer<typeof BashSessionId>;

/** The sandbox of a session's commands. */
export const SandboxKind = z.enum(['none', 'bubblewrap', 'util-linux', 'sandbox-exec']);
export type SandboxKind = z.infer<typeof SandboxKind>;

/** The output of a running command, in order of arrival. */
export const CommandEvent = z.discriminatedUnion('kind', [
  /** `is_alone`: it runs in the background where no other command reaches its ports. */
  z.strictObject({
    ...{ kind: z.literal('started'), id: NodeId, cwd: z.string(), sandbox: SandboxKind, is_alone: z.boolean() },
  }),
  z.strictObject({
    kind: z.literal('output'),
    from: z.enum(['stdout', 'stderr']),
    /** Its offset in the whole output. */
    offset: count,
    /** Base64. */
    data: z.string(),
  }),
  /** Bytes dropped because the reader was too slow. */
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

/** Lines for the person. */
const Told = z.strictObject({ told: z.array(z.string()) });

export const onTools = { host: 'tools' } as const;

export const toolMethods = methods({
  'bash.open': {
    ...onTools,
    description: 'Opens a session for commands, or brings the folder and environment of one up to date.',
    params: z.strictObject({
      session: BashSessionId.optional(),
      cwd: z.string().max(4_096),
      /** The caller's environment; null for the minimal one of a model's commands. */
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
      /** Whether later commands of its session reach its ports, and git is only read. */
      background: z.boolean().default(false),
      /** Whether it outlives its caller. */
      detached: z.boolean().default(false),
      /** Whether it begins without what earlier commands of a person on its branch left: variables, functions, aliases, umask. */
      reset: z.boolean().default(false),
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
  'bash.read': {
    ...onTools,
    description: 'Reads what a running command has printed from an offset on, and waits a while when that is nothing.',
    params: z.strictObject({
      id: NodeId,
      offset: count.default(0),
      /** Of more than that, the newest. */
      bytes_max: bytes.max(1_048_576).default(65_536),
      wait_ms: count.max(600_000).default(0),
    }),
    result: z.strictObject({
      data: z.base64(),
      /** Where the data begins in the whole output, as far as that is kept. */
      offset: count,
      total_bytes: count,
      /** Whether that is all that it will print. */
      ended: z.boolean(),
    }),
    callerGone: 'cancel',
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
  'git.watch': {
    ...onTools,
    description:
      'Begins to watch what a model makes in a project that would run as the person; tells what a killed turn left.',
    params: z.strictObject({ project: AbsolutePath }),
    result: Told,
  },
  'git.take_over': {
    ...onTools,
    description: 'Takes a model’s new commits into the project’s repository, and tells what else it leaves.',
    params: z.strictObject({ project: AbsolutePath }),
    result: Told,
  },
  'git.status': {
    ...onTools,
    description: 'Tells what was taken over of models’ commits in a project, and what is kept beside its branches.',
    params: z.strictObject({ project: AbsolutePath }),
    result: z.strictObject({
      taken: z.array(z.strictObject({ at_ms: count, text: z.string(), undone: z.boolean() })),
      kept: z.array(z.strictObject({ name: z.string(), commit: z.string() })),
      /** Why git is read-only for models here; null when it is not. */
      problem: z.string().nullable(),
    }),
  },
  'git.undo': {
    ...onTools,
    description: 'Takes back what was taken over last; the commits are kept beside the branches.',
    params: z.strictObject({ project: AbsolutePath }),
    result: z.strictObject({ text: z.string() }),
  },
  'git.take': {
    ...onTools,
    description: 'Sets a branch to what is kept of a model’s, or makes the repository that a model made for itself.',
    params: z.strictObject({ project: AbsolutePath, branch: z.string().min(1).max(400).nullable().default(null) }),
    result: z.strictObject({ text: z.string() }),
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
        /** The attempts from inside that failed, as they must. */
        holds: z.array(z.string()),
        /** Why no stronger sandbox works here; null when one does. */
        problem: z.string().nullable(),
        hint: z.string().nullable(),
      }),
    }),
  },
});
