import { stat } from 'node:fs/promises';
import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { ParsedOf } from '../../protocol/methods/method_table.js';
import type { BashSessionId, CommandEvent, ToolAnswer } from '../../protocol/methods/tool_methods.js';
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
  run(
    input: { command: string; timeout?: number | undefined },
    call: Pick<ParsedOf<'bash.execute'>, 'id' | 'place' | 'append' | 'call_id'>,
    around: CallSurroundings,
  ): Promise<ToolAnswer>;
}

export function openShell({ reach, policy, project, session, ...parts }: ShellParts): ModelShell {
  const environment = modelEnvironment(parts);
  let { cwd } = parts;
  let isOpen = false;

  async function open(): Promise<void> {
    await callHub(reach, 'bash.open', { session, cwd: project, environment, umask: null, policy });
    isOpen = true;
  }

  return {
    cwd: () => cwd,
    async run({ command, timeout }, call, { signal, onOutput }) {
      if (!isOpen) await open();
      if (!(await isFolder(cwd))) cwd = project;
      const emit = (event: object): void => {
        if (isOutput(event)) onOutput(event);
      };
      const execute = () =>
        callHub({ hub: reach.hub, context: { ...reach.context, signal, emit } }, 'bash.execute', {
          ...{ ...call, session, command, cwd, detached: false, stream: call.id },
          timeout_ms: timeout === undefined ? null : Math.ceil(timeout * 1_000),
        });
      const answer = await execute().catch(async (error: unknown) => {
        // Sessions end with the process of the tools; a command that found none has not begun.
        if (!(error instanceof HubError && error.kind === 'not_found')) throw error;
        await open();
        return execute();
      });
      cwd = answer.external.cwd ?? cwd;
      return answer;
    },
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

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null); // it is gone
  return found?.isDirectory() === true;
}
