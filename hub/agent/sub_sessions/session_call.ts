import type { BashSessionId } from '../../protocol/methods/tool_methods.js';
import type { Policy } from '../../protocol/policy.js';
import type { CallResult, CallSurroundings, ModelCall } from '../tools/model_call.js';
import type { ToolInputs } from '../tools/tool_definitions.js';

/** A call that is to start a sub-session. */
export interface SessionCall {
  call: ModelCall;
  input: ToolInputs['spawn_session'];
  /** What the turn that makes the call may touch, and where it stands. */
  policy: Policy;
  session: BashSessionId;
  cwd: string;
}

/** Starts sub-sessions for the calls of one turn. */
export interface SubSessions {
  /** Resolves with what a sub-session came to, its failure included; fails when it could not be begun. */
  run(asking: SessionCall, around: CallSurroundings): Promise<CallResult>;
}
