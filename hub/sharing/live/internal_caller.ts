import type { InternalCaller } from '../../base/internal_call.js';
import type { CallContext, HubCalls, HubResolve } from '../../base/plugin.js';

/** A part of the hub that calls others by itself, for as long as the signal lets it. */
export function internalCaller(
  hub: HubCalls & HubResolve,
  signal: AbortSignal,
  emit: CallContext['emit'] = () => undefined,
): InternalCaller {
  const context: CallContext = {
    ...{ signal, caller: { kind: 'internal' }, emit },
    ...{ hasRoom: () => true, drained: () => Promise.resolve() },
  };
  return { hub, context };
}
