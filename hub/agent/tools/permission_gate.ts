import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { ParsedOf } from '../../protocol/methods/method_table.js';
import type { Level } from '../../protocol/turn.js';
import { changePermission, commandPermission, covers, pagePermission } from './call_permissions.js';
import type { ModelCall, QuestionDraft } from './model_call.js';
import { type Approvals, approvalProblem } from './person_questions.js';
import type { ToolName } from './tool_definitions.js';
import { inputOf } from './tool_input.js';

/** At level `ask`: keeps calls waiting that the person has not permitted. */
export interface PermissionGate {
  /** Throws `approval_needed` for a call to ask about. */
  pass(call: ModelCall, tool: ToolName, target: ChangeTarget): Promise<void>;
  /** What the person is to be asked about a call that did not pass; null for any other. */
  question(call: ModelCall): QuestionDraft | null;
}

/** How a change would be made. */
type ChangeTarget = Pick<ParsedOf<'file.change_preview'>, 'cwd' | 'place' | 'policy' | 'session'>;

interface GateParts {
  reach: InternalCaller;
  level: Level;
  approvals: Approvals;
  isSandboxed(): Promise<boolean>;
}

type GatedTool = 'bash' | 'write' | 'edit' | 'fetch';

/** A page tells its server what was asked for, so that is put to the person as a command is. */
function isGated(tool: ToolName): tool is GatedTool {
  return tool === 'bash' || tool === 'write' || tool === 'edit' || tool === 'fetch';
}

export function openGate({ reach, level, approvals, isSandboxed }: GateParts): PermissionGate {
  const awaited = new Map<string, QuestionDraft>();

  async function questionFor(call: ModelCall, tool: GatedTool, target: ChangeTarget) {
    if (tool === 'fetch') return pagePermission(call.call, inputOf('fetch', call).url);
    if (tool !== 'bash') {
      const { path, ...input } = tool === 'write' ? inputOf('write', call) : inputOf('edit', call);
      const change = 'content' in input ? { kind: 'write' as const, ...input } : { kind: 'edit' as const, ...input };
      return changePermission(call.call, await callHub(reach, 'file.change_preview', { ...target, path, change }));
    }
    const { command, background, job } = inputOf('bash', call);
    // What a job has printed may be read, and a job ended.
    if (command === undefined) return null;
    const problem = approvalProblem(command);
    if (problem !== null) throw problem;
    const isJob = background === true || job !== undefined;
    return commandPermission(call.call, { command, isJob, isSandboxed: await isSandboxed() });
  }

  return {
    async pass(call, tool, target) {
      if (level !== 'ask' || !isGated(tool)) return;
      const wanted = await questionFor(call, tool, target);
      if (wanted === null || covers(approvals.permissions, call, wanted)) return;
      if (!approvals.mayAsk) {
        throw new HubError(
          'unauthorised',
          `${tool} was not run: a person must permit it, and a sub-session cannot ask`,
        );
      }
      awaited.set(call.id, wanted);
      throw new HubError('approval_needed', `${tool} waits for the person`);
    },
    question: ({ id }) => awaited.get(id) ?? null,
  };
}
