import type { BashSessionId } from '../../protocol/methods/tool_methods.js';
import type { NodeId, TreeId, TreeName } from '../../protocol/node.js';
import type { RoleName } from '../../protocol/outside_agent.js';
import type { Policy } from '../../protocol/policy.js';
import type { CallResult, CallSurroundings, ModelCall } from '../tools/model_call.js';
import type { ToolInputs } from '../tools/tool_definitions.js';

/** What a sub-session is begun with. */
export interface SessionInput extends Partial<ToolInputs['spawn_session']> {
  task: string;
  /** What an outside agent is to be. */
  role?: RoleName | undefined;
  /** The name of a session of the project that it goes on in, or begins. */
  session_id?: TreeName | undefined;
}

/** What a sub-session has come to. */
export interface EndedSubSession {
  text: string;
  state: string;
  /** Why it has no answer, in words. */
  reason: string;
  place: { tree: TreeId; node: NodeId };
  /** The same as the result of its call. */
  result(remark: string | null): Promise<CallResult>;
}

/** A call that is to start a sub-session. */
export interface SessionCall {
  call: ModelCall;
  input: SessionInput;
  level: 'minimal' | 'readonly';
  /** An earlier one that it goes on in; absent for none. */
  place?: EndedSubSession['place'] | null;
  /** What the turn that makes the call may touch, and where it stands. */
  policy: Policy;
  session: BashSessionId;
  cwd: string;
}

/** Starts sub-sessions for the calls of one turn. */
export interface SubSessions {
  /** Resolves with what a sub-session came to, its failure included; fails when it could not be begun. */
  run(asking: SessionCall, around: CallSurroundings): Promise<CallResult>;
  /** The same, for one of several of a call. */
  ask(asking: SessionCall, around: CallSurroundings): Promise<EndedSubSession>;
}
