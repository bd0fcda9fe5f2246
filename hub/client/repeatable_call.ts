import { randomUUID } from 'node:crypto';
import type { MethodName } from '../protocol/methods/method_table.js';
import type { Request } from './requests.js';

/** A call in a form in which it can be sent again after its answer was lost. */
export function repeatable(method: MethodName, params: object): Pick<Request, 'method' | 'params' | 'resend'> {
  const complete = withIds(method, params);
  return { method, params: () => complete, resend: isRepeatable(method, params) };
}

// What a lost answer must not double is named by the caller before it is sent.
function withIds(method: MethodName, params: object): object {
  switch (method) {
    case 'loom.tree_create':
    case 'loom.node_create_text':
    case 'loom.node_create_external':
    case 'agent.run':
    case 'agent.steer':
    case 'bash.execute':
    case 'file.read':
    case 'file.write':
    case 'file.edit':
    case 'http.fetch':
    case 'postgres.query':
      return { ...params, id: idOf(params) };
    case 'loom.step_create': {
      const calls = 'calls' in params && Array.isArray(params.calls) ? params.calls : [];
      return { ...params, id: idOf(params), calls: calls.map((call: object) => ({ ...call, id: idOf(call) })) };
    }
    default:
      return params;
  }
}

/** Whether a call may be sent again when its answer was lost. */
function isRepeatable(method: MethodName, params: object): boolean {
  // Sent again, it would end the hub that came after.
  if (method === 'health.stop') return false;
  // By their nodes the tools know what has been done; what is not appended might be done twice.
  if (method !== 'bash.execute' && method !== 'file.edit') return true;
  return 'append' in params && params.append === true;
}

function idOf(params: object): unknown {
  return 'id' in params && params.id !== undefined ? params.id : randomUUID();
}
