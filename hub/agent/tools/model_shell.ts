import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { CallContext } from '../../base/plugin.js';
import type { ParsedOf } from '../../protocol/methods/method_table.js';
import type { BashSessionId, CommandEvent, SandboxKind, ToolAnswer } from '../../protocol/methods/tool_methods.js';
import type { TreeId } from '../../protocol/node.js';
import type { Policy } from '../../protocol/policy.js';
import type { CallSurroundings } from './model_call.js';

/** The variables of a caller's environment that a model's commands may have, also outside of a sandbox. */
const PASSED_VARIABLES = /^(PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TZ)$/;

/** The variable that tells a command that a model runs it, and in which tree. */
const SESSION_VARIABLE = 'COGNITION_SESSION';

export interface ShellParts {
  reach: InternalCaller;
  policy: Policy;
  /** The folder of the branch; when it is gone, commands run in the project. */
  cwd: string;
  project: string;
  environment: Record<string, string> | null;
  session: BashSessionId;
  /** The tree of the turn. */
  tree: TreeId;
}

/** The shell of one turn: each command begins where the one before it ended. */
export interface ModelShell {
  cwd(): string;
  /** Whether something keeps its commands in. */
  isSandboxed(): Promise<boolean>;
  run(
    input: { command: string; timeout?: number | undefined },
    call: CommandCall,
    around: CallSurroundings,
  ): Promise<ToolAnswer>;
  /** Runs a command that the others do not wait for, until the signal; `onStarted` is told once it runs. */
  runInBackground(
    input: { command: string; timeoutMs: number },
    call: CommandCall,
    around: { signal: AbortSignal; onStarted(how: { isAlone: boolean }): void },
  ): Promise<ToolAnswer>;
}

export type CommandCall = Pick<ParsedOf<'bash.execute'>, 'id' | 'place' | 'append' | 'call_id'>;
type Execution = Pick<ParsedOf<'bash.execute'>, 'command' | 'timeout_ms' | 'background'>;

export function openShell({ reach, policy, project, session, ...parts }: ShellParts): ModelShell {
  const environment = modelEnvironment(parts);
  let { cwd } = parts;
  let sandbox: SandboxKind | null = null;

  async function open(): Promise<SandboxKind> {
    const opened = await callHub(reach, 'bash.open', { session, cwd: project, environment, umask: null, policy });
    sandbox = opened.sandbox;
    return sandbox;
  }

  async function execute(
    execution: Execution,
    call: CommandCall,
    { signal, emit }: Pick<CallContext, 'signal' | 'emit'>,
  ): Promise<ToolAnswer> {
    if (sandbox === null) await open();
    const begin = () =>
      callHub({ hub: reach.hub, context: { ...reach.context, signal, emit } }, 'bash.execute', {
        ...{ ...call, ...execution, session, cwd, detached: false, reset: false, stream: call.id },
      });
    return begin().catch(async (error: unknown) => {
      // Sessions end with the process of the tools; a command that found none has not begun.
      if (!(error instanceof HubError && error.kind === 'not_found')) throw error;
      await open();
      return begin();
    });
  }

  return {
    cwd: () => cwd,
    isSandboxed: async () => (sandbox ?? (await open())) !== 'none',
    async run({ command, timeout }, call, { signal, onOutput }) {
      const emit = (event: object): void => {
        if (isOutput(event)) onOutput(event);
      };
      const timeout_ms = timeout === undefined ? null : Math.ceil(timeout * 1_000);
      const answer = await execute({ command, timeout_ms, background: false }, call, { signal, emit });
      cwd = answer.external.cwd ?? cwd;
      return answer;
    },
    runInBackground: ({ command, timeoutMs }, call, { signal, onStarted }) =>
      execute({ command, timeout_ms: timeoutMs, background: true }, call, {
        signal,
        emit: (event) => onStarted({ isAlone: 'is_alone' in event && event.is_alone === true }),
      }),
  };
}

/** The tree is passed so that this program, started inside, can refuse to run models again. */
function modelEnvironment({
  environment,
  tree,
}: Pick<ShellParts, 'environment' | 'tree'>): Record<string, string> | null {
  if (environment === null) return null;
  const passed = Object.entries(environment).filter(([name]) => PASSED_VARIABLES.test(name));
  return { ...Object.fromEntries(passed), [SESSION_VARIABLE]: tree };
}

function isOutput(event: object): event is Extract<CommandEvent, { kind: 'output' }> {
  return 'kind' in event && event.kind === 'output';
}
