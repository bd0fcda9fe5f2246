import type { SessionCall } from '../sub_sessions/session_call.js';
import type { CallResult, CallSurroundings, ModelCall } from '../tools/model_call.js';
import type { OtherToolName } from '../tools/tool_definitions.js';

/** Where a call stands, and what it may touch: what it has others do may touch no more. */
export type OtherCall = Pick<SessionCall, 'policy' | 'session' | 'cwd'> & { call: ModelCall };

/** Runs what a model has others do. */
export type CallOther = (
  tool: OtherToolName,
  call: { asking: OtherCall; around: CallSurroundings },
) => Promise<CallResult>;
