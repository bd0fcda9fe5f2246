import { randomUUID } from 'node:crypto';
import { CALL_FACTS, type CallFacts } from '../protocol/call_facts.js';
import type { MethodName } from '../protocol/methods/method_table.js';
import type { Request } from './open_requests.js';

/** A call with all its ids filled in, so that it can be sent again after its answer was lost. */
export function repeatable(method: MethodName, params: object): Pick<Request, 'method' | 'params' | 'resend'> {
  const { repeats, ids }: CallFacts = CALL_FACTS[method];
  const complete = ids.reduce(withId, params);
  const isAppended = 'append' in params && params.append === true;
  return { method, params: () => complete, resend: repeats === 'always' || (repeats === 'appended' && isAppended) };
}

/** The same parameters with an id at a path such as `id` or `calls[].id`, if they have none there. */
function withId(params: object, path: string): object {
  const [list, ...rest] = path.split('[].');
  if (list === undefined || rest.length === 0)
    return 'id' in params && params.id !== undefined ? params : { ...params, id: randomUUID() };
  const items: unknown = Reflect.get(params, list);
  if (!Array.isArray(items)) return params;
  return { ...params, [list]: items.map((item: object) => withId(item, rest.join('[].'))) };
}
