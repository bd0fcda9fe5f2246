import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { BashSessionId } from '../../protocol/methods/tool_methods.js';
import type { Block, External, TreeId } from '../../protocol/node.js';
import type { Policy, PolicyCopy } from '../../protocol/policy.js';
import type { Grants, Level } from '../../protocol/turn.js';
import type { JobStart } from '../jobs/job.js';
import type { ModelJobs } from '../jobs/model_jobs.js';
import type { CallOther } from '../others/other_call.js';
import type { SubSessions } from '../sub_sessions/session_call.js';
import { hintForModel } from './hint_for_model.js';
import type { CallResult, CallSurroundings, ModelCall, QuestionDraft } from './model_call.js';
import { type CommandCall, type ModelShell, openShell } from './model_shell.js';
import { openGate } from './permission_gate.js';
import { type Approvals, approvalProblem, approvalQuestion } from './person_questions.js';
import { planFileOf } from './project_folders.js';
import type { ProjectWatch } from './project_watch.js';
import { TOOL_INPUTS, type ToolName, toolsOf } from './tool_definitions.js';
import { inputOf } from './tool_input.js';

/** Runs the tools of one turn. It owns what they may do: its caller cannot widen that. */
export interface Executor {
  /** Whether calls of a tool may run in parallel: those that only read, and those that work in a place of their own. */
  runsBeside(tool: string): boolean;
  /** The question of a call to the person; null for a call to execute, malformed questions included. */
  asks(call: ModelCall): QuestionDraft | null;
  /** What the person must allow before a call is executed that failed like this; null when that would not help. */
  needsApproval(call: ModelCall, error: unknown): QuestionDraft | null;
  /** A call that fails is a result for the model; only what no model can help throws. */
  call(call: ModelCall, surroundings: CallSurroundings): Promise<CallResult>;
}

export interface ExecutorParts {
  reach: InternalCaller;
  tree: TreeId;
  level: Level;
  /** Whether pages may be read. */
  web: boolean;
  /** Has others work; null where they may not. */
  callOther: CallOther | null;
  grants: Grants;
  /** The real path of what may be changed. */
  project: string;
  /** What stands for it; null where it stands for itself. */
  copy: PolicyCopy | null;
  /** Where the branch stands. */
  cwd: string;
  environment: Record<string, string> | null;
  /** The shell session of this turn's tree under a policy: the same for the same two. */
  session(policy: Policy): BashSessionId;
  sessions: SubSessions;
  jobs: ModelJobs;
  watch: ProjectWatch;
  approvals: Approvals;
}

const OPEN = { kind: 'open' } as const;

export function createExecutor(parts: ExecutorParts): Executor {
  const { reach, tree, level, sessions, jobs } = parts;
  const policy = policyFor(parts);
  const tools = toolsOf(level, { web: parts.web, others: parts.callOther !== null });
  const session = parts.session(policy);
  // A plan is for the person, who sees nothing of this /tmp.
  const writing = { policy: writingPolicy(parts), session: level === 'plan' ? null : session };
  const contained = openShell({ ...parts, policy, session });
  const allowed = openShell({ ...parts, policy: OPEN, session: parts.session(OPEN) });
  let shell = contained;
  const gate = openGate({ reach, level, approvals: parts.approvals, isSandboxed: contained.isSandboxed });

  async function perform(call: ModelCall, around: CallSurroundings): Promise<CallResult> {
    const about = { id: call.id, place: { tree, node: around.parent }, append: false, call_id: call.call };
    const stand = { policy, session, cwd: shell.cwd() };
    const given = { ...about, ...stand };
    const tool = toolOf(call, tools);
    await gate.pass(call, tool, { ...writing, cwd: shell.cwd(), place: about.place });
    if (!LOOKING.includes(tool)) await parts.watch.begin();
    switch (tool) {
      case 'bash': {
        const input = bashInput(call);
        if (input.kind === 'job') return jobs.read(call, input, around);
        const isUnheld = level === 'ask' && !(await contained.isSandboxed());
        shell = isUnheld || mayRunOpen(parts, call) ? allowed : contained;
        if (input.kind === 'command') return shell.run(input, about, around);
        return jobs.start(call, jobOf(shell, { ...input, msMax: jobs.msMax() }, about), around);
      }
      case 'read':
        return callHub(within(reach, around), 'file.read', { ...given, ...readInput(call), inside: null });
      case 'write':
        return callHub(within(reach, around), 'file.write', { ...given, ...inputOf('write', call), ...writing });
      case 'edit':
        return callHub(within(reach, around), 'file.edit', { ...given, ...inputOf('edit', call), ...writing });
      case 'fetch':
        return callHub(within(reach, around), 'http.fetch', { ...about, ...PAGE, ...inputOf('fetch', call) });
      case 'spawn_session':
        return sessions.run({ ...stand, call, input: inputOf('spawn_session', call), level: 'minimal' }, around);
      case 'ask_user':
        throw unaskable(call);
      default:
        return othersOf(parts)(tool, { asking: { ...stand, call }, around });
    }
  }

  return {
    runsBeside: (tool) => BESIDE.includes(tool) || (tool === 'fetch' && level !== 'ask'),
    asks: (call) => (tools.includes('ask_user') ? questionOf(call) : null),
    needsApproval: (call, error) =>
      gate.question(call) ?? (mayAskPerson(parts, call, error) ? approvalFor(call) : null),
    async call(call, around) {
      try {
        const { blocks, external } = await perform(call, around);
        return jobs.withEnds({ blocks, external: { ...external, call: { ...external.call, id: call.call } } });
      } catch (error) {
        const refused = mayAskPerson(parts, call, error) ? approvalProblem(commandOf(call)) : null;
        if (refused !== null) return failedResult(call, refused, tools);
        if (!(error instanceof HubError) || isBeyondModels(error, around.signal)) throw error;
        return jobs.withEnds(failedResult(call, error, tools));
      }
    },
  };
}

/** The longest that a call waits for a job to print something. */
const WAIT_MS_MAX = 600_000;

/** The reach of a call, which ends with it. */
function within({ hub, context }: InternalCaller, { signal }: CallSurroundings): InternalCaller {
  return { hub, context: { ...context, signal } };
}

/** Tools that change nothing. */
const LOOKING: readonly string[] = [
  ...['read', 'fetch', 'ask_user', 'consult_with', 'group_think', 'list_sessions', 'describe_session'],
  ...['search_project_history', 'count_project_tokens'],
];
const BESIDE: readonly string[] = ['read', 'spawn_session', 'work_with', 'consult_with', 'group_think'];
/** How a page is fetched. It may touch the network, which no command has by it. */
const PAGE = {
  ...{ timeout_ms: 30_000, bytes_max: 10_485_760 },
  policy: { kind: 'contained' as const, network: true, writable: [], readable: [] },
};

/** What a turn may touch. At the levels that only read, no grant but the network widens it. */
export function policyFor({
  level,
  grants,
  project,
  copy,
}: Pick<ExecutorParts, 'level' | 'grants' | 'project' | 'copy'>): Policy {
  // Plans are made without the network, whatever was granted.
  if (level === 'plan') return { kind: 'contained', network: false, writable: [], readable: [project] };
  if (level === 'readonly') {
    return { kind: 'contained', network: grants.network, writable: [], readable: [project] };
  }
  if (grants.unsandboxed) return { kind: 'open' };
  return {
    kind: 'contained',
    network: grants.network,
    writable: [project, ...grants.write_paths],
    readable: null,
    ...(copy === null ? {} : { copy }),
  };
}

/** What write and edit may touch: at level `plan` the plan's file alone, which no command may write. */
function writingPolicy(parts: Pick<ExecutorParts, 'level' | 'grants' | 'project' | 'copy'>): Policy {
  const policy = policyFor(parts);
  if (parts.level !== 'plan' || policy.kind === 'open') return policy;
  return { ...policy, writable: [planFileOf(parts.project)] };
}

/** At the levels that only read every command is kept from writing, whatever a person says to a single one. */
function mayBeAllowed(level: Level): boolean {
  return level === 'minimal' || level === 'orchestrator';
}

/** Whether a person is to be asked about a call that failed like this. */
function mayAskPerson({ level, approvals }: ExecutorParts, { tool }: ModelCall, error: unknown): boolean {
  const helps = error instanceof HubError && error.kind === 'approval_needed' && tool === 'bash';
  return helps && approvals.mayAsk && mayBeAllowed(level);
}

function mayRunOpen({ level, approvals }: ExecutorParts, { id }: ModelCall): boolean {
  return mayBeAllowed(level) && (approvals.all || approvals.commands.has(id));
}

function toolOf({ tool, problem }: ModelCall, tools: readonly ToolName[]): ToolName {
  if (problem !== null) throw new HubError('invalid_params', `${tool} was not run: ${problem}`);
  const known = tools.find((name) => name === tool);
  if (known !== undefined) return known;
  throw new HubError('invalid_params', `there is no tool ${JSON.stringify(tool)}`, {
    hint: `your tools are: ${tools.join(', ')}`,
  });
}

function questionOf({ call, tool, input, problem }: ModelCall): QuestionDraft | null {
  const given = tool === 'ask_user' && problem === null ? TOOL_INPUTS.ask_user.safeParse(input) : null;
  if (given?.success !== true) return null;
  return { call, kind: 'question', question: given.data.question, options: given.data.options ?? [] };
}

function othersOf({ callOther }: ExecutorParts): CallOther {
  if (callOther !== null) return callOther;
  throw new HubError('internal', 'nobody else may be given work here');
}

/** Why a question to the person is executed, which is none: it is malformed, or asked for somebody else. */
function unaskable(call: ModelCall): HubError {
  inputOf('ask_user', call);
  return new HubError('invalid_params', 'ask_user was not run: questions are for the person');
}

function readInput(call: ModelCall): { path: string; offset: number; limit: number } {
  const { path, offset = 1, limit = 2_000 } = inputOf('read', call);
  return { path, offset, limit };
}

/** What a call of bash is for: a command, a command in the background, or one of those that was begun before. */
type BashInput = { kind: 'command'; command: string; timeout?: number | undefined } | JobInput | JobUse;
type JobInput = { kind: 'background'; command: string; name: string | undefined; timeout?: number | undefined };
type JobUse = { kind: 'job'; name: string; stop: boolean; waitMs: number };

function bashInput(call: ModelCall): BashInput {
  const { command, timeout, background = false, job: name, stop = false } = inputOf('bash', call);
  if (command === undefined && name === undefined) {
    throw new HubError('invalid_params', 'bash was not run: it takes a command, or the name of a job');
  }
  if (command === undefined)
    return { kind: 'job', name: name ?? '', stop, waitMs: Math.min(WAIT_MS_MAX, Math.ceil((timeout ?? 0) * 1_000)) };
  // Who names a command wants to come back to it.
  return background || name !== undefined
    ? { kind: 'background', command, name, timeout }
    : { kind: 'command', command, timeout };
}

/** A command in the background, as its shell runs it. */
function jobOf(
  shell: ModelShell,
  { command, name, timeout = Number.POSITIVE_INFINITY, msMax }: JobInput & { msMax: number },
  call: CommandCall,
): Pick<JobStart, 'command' | 'run'> & { name: string | undefined } {
  const timeoutMs = Math.min(msMax, Math.ceil(timeout * 1_000));
  return { command, name, run: (around) => shell.runInBackground({ command, timeoutMs }, call, around) };
}

function approvalFor(call: ModelCall): QuestionDraft | null {
  return approvalQuestion(call.call, commandOf(call));
}

/** The command of a call that was to run one. */
function commandOf(call: ModelCall): string {
  return inputOf('bash', call).command ?? '';
}

/** Failures that would meet the model again whatever it does, and cancelled calls. */
function isBeyondModels({ kind }: HubError, signal: AbortSignal): boolean {
  return signal.aborted || kind === 'approval_needed' || kind === 'sandbox_unavailable' || kind === 'storage_failed';
}

/** A failure as a result for the model. */
function failedResult({ call, tool, input }: ModelCall, error: HubError, tools: readonly ToolName[]): CallResult {
  const { kind, message } = error;
  const hint = error.hint === null ? null : hintForModel(error.hint, tools);
  const text = hint === null ? message : `${message} (${hint})`;
  const external: External = {
    call: { tool, input, id: call },
    handle: { source: 'refused', source_version: '1.0.0', identifier: call, metadata: { tool, kind } },
    ...{ output: null, exit_code: 1, signal: null, duration_ms: null, cwd: null },
  };
  const blocks: Block[] = [{ type: 'text', text }];
  return { blocks, external };
}
