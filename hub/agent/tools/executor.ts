import { resolve } from 'node:path';
import { HubError } from '../../base/error.js';
import { hintText, nameOnCommandLine } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { HintAction } from '../../protocol/errors.js';
import type { BashSessionId } from '../../protocol/methods/tool_methods.js';
import type { Block, External, TreeId } from '../../protocol/node.js';
import type { Policy } from '../../protocol/policy.js';
import type { Grants, Level } from '../../protocol/turn.js';
import type { SubSessions } from '../sub_sessions/session_call.js';
import type { CallResult, CallSurroundings, ModelCall, QuestionDraft } from './model_call.js';
import { openShell } from './model_shell.js';
import { type Approvals, approvalProblem, approvalQuestion } from './person_questions.js';
import { makePlanFolder, planFileOf } from './project_folders.js';
import { TOOL_INPUTS, type ToolInputs, type ToolName, toolsOf } from './tool_definitions.js';

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
  grants: Grants;
  /** The real path of what may be changed. */
  project: string;
  /** The hub's home folder. */
  home: string;
  /** Where the branch stands. */
  cwd: string;
  environment: Record<string, string> | null;
  /** The shell session of this turn's tree under a policy: the same for the same two. */
  session(policy: Policy): BashSessionId;
  sessions: SubSessions;
  approvals: Approvals;
}

export function createExecutor(parts: ExecutorParts): Executor {
  const { reach, tree, level, sessions } = parts;
  const policy = policyFor(parts);
  const writing = writingPolicy(parts);
  const tools = toolsOf(level);
  const openPolicy = { kind: 'open' } as const;
  const contained = openShell({ ...parts, policy, session: parts.session(policy) });
  const allowed = openShell({ ...parts, policy: openPolicy, session: parts.session(openPolicy) });
  let shell = contained;

  function file<M extends 'file.read' | 'file.write' | 'file.edit'>(
    method: M,
    around: CallSurroundings,
    params: Parameters<typeof callHub<M>>[2],
  ) {
    return callHub({ hub: reach.hub, context: { ...reach.context, signal: around.signal } }, method, params);
  }

  async function perform(call: ModelCall, around: CallSurroundings): Promise<CallResult> {
    const about = { id: call.id, place: { tree, node: around.parent }, append: false, call_id: call.call };
    const given = { ...about, cwd: shell.cwd(), policy };
    switch (toolOf(call, tools)) {
      case 'bash':
        shell = mayRunOpen(parts, call) ? allowed : contained;
        return shell.run(inputOf('bash', call), about, around);
      case 'read': {
        const { path, offset = 1, limit = 2_000 } = inputOf('read', call);
        return file('file.read', around, { ...given, path, offset, limit });
      }
      case 'write': {
        const input = inputOf('write', call);
        if (level === 'plan') await makePlanFolder(parts, resolve(given.cwd, input.path));
        return file('file.write', around, { ...given, ...input, policy: writing });
      }
      case 'edit':
        return file('file.edit', around, { ...given, ...inputOf('edit', call), policy: writing });
      case 'spawn_session':
        return sessions.run({ call, input: inputOf('spawn_session', call), policy, cwd: shell.cwd() }, around);
      case 'ask_user':
        inputOf('ask_user', call);
        throw new HubError('invalid_params', 'ask_user was not run: questions are for the person');
    }
  }

  return {
    runsBeside: (tool) => tool === 'read' || tool === 'spawn_session',
    asks: (call) => (tools.includes('ask_user') ? questionOf(call) : null),
    needsApproval: (call, error) =>
      mayAskPerson(parts, call, error) ? approvalQuestion(call.call, inputOf('bash', call).command) : null,
    async call(call, around) {
      try {
        const { blocks, external } = await perform(call, around);
        return { blocks, external: { ...external, call: { ...external.call, id: call.call } } };
      } catch (error) {
        const refused = mayAskPerson(parts, call, error) ? approvalProblem(inputOf('bash', call).command) : null;
        if (refused !== null) return failedResult(call, refused);
        if (!(error instanceof HubError) || isBeyondModels(error, around.signal)) throw error;
        return failedResult(call, error);
      }
    },
  };
}

/** What a turn may touch. At the levels that only read, no grant but the network widens it. */
function policyFor({ level, grants, project }: Pick<ExecutorParts, 'level' | 'grants' | 'project'>): Policy {
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
  };
}

/** What write and edit may touch: at level `plan` the plan's file alone, which no command may write. */
function writingPolicy(parts: Pick<ExecutorParts, 'level' | 'grants' | 'project'>): Policy {
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

function inputOf<Tool extends ToolName>(tool: Tool, { input }: ModelCall): ToolInputs[Tool];
function inputOf(tool: ToolName, { input }: ModelCall): unknown {
  const parsed = TOOL_INPUTS[tool].safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  throw new HubError('invalid_params', `${tool} was not run: ${problems.join('; ')}`);
}

/** Failures that would meet the model again whatever it does, and cancelled calls. */
function isBeyondModels({ kind }: HubError, signal: AbortSignal): boolean {
  return signal.aborted || kind === 'approval_needed' || kind === 'sandbox_unavailable' || kind === 'storage_failed';
}

/** A failure as a result for the model. */
function failedResult({ call, tool, input }: ModelCall, { kind, message, hint }: HubError): CallResult {
  const text = hint === null ? message : `${message} (${hintText(hint, nameForModel)})`;
  const external: External = {
    call: { tool, input, id: call },
    handle: { source: 'refused', source_version: '1.0.0', identifier: call, metadata: { tool, kind } },
    ...{ output: null, exit_code: 1, signal: null, duration_ms: null, cwd: null },
  };
  const blocks: Block[] = [{ type: 'text', text }];
  return { blocks, external };
}

const TOOL_OF_METHOD: Readonly<Record<string, ToolName>> = {
  'bash.execute': 'bash',
  'file.edit': 'edit',
  'file.read': 'read',
  'file.write': 'write',
};

/** A model has tools, no methods; commands and options of the command line are its person's. */
function nameForModel(action: HintAction): string {
  if (action.kind === 'method') return TOOL_OF_METHOD[action.method] ?? action.method;
  return action.kind === 'command'
    ? `${nameOnCommandLine(action)} (which the person may run)`
    : nameOnCommandLine(action);
}
