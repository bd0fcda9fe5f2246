import { errnoOf } from '../base/errno.js';
import { HubError } from '../base/error.js';
import { cliCommand, rpcMethod } from '../base/hint.js';
import { nearest } from '../base/nearest_word.js';
import type { CallContext, HubCalls, HubResolve, Log, Plugin } from '../base/plugin.js';
import { specOf } from './calls_under_way.js';
import { invalidParams } from './invalid_params.js';

/** Routes calls to the plugins that serve them. */
export interface Hub extends HubCalls, HubResolve {
  /** Adds the methods of a plugin; refuses names that are unknown to the method table or already served. */
  register(plugin: Plugin): void;
  /** The names of all served methods. */
  methodNames(): string[];
  /** Serves a call from outside: checks its parameters, and fails with a HubError only. */
  callRaw(method: string, params: unknown, context: CallContext): Promise<unknown>;
  /** Closes the plugins, the last registered first. */
  close(): Promise<void>;
}

type AnyHandler = (params: unknown, context: CallContext) => Promise<unknown>;

/** Starts a hub with these plugins. */
export function createHub(parts: { plugins: readonly Plugin[]; log: Log }): Hub {
  const plugins: Plugin[] = [];
  const handlers = new Map<string, AnyHandler>();

  function register(plugin: Plugin): void {
    for (const [method, handler] of Object.entries(plugin.methods)) {
      if (!method.startsWith(`${plugin.name}.`) || specOf(method) === undefined || handlers.has(method)) {
        throw new HubError('conflict', `the plugin ${plugin.name} cannot serve ${method}`, {
          hint: 'a method stands in the method table, begins with the name of its plugin and is served once',
        });
      }
      handlers.set(method, handler as AnyHandler); // its parameters were parsed by this method's own schema
    }
    plugins.push(plugin);
  }

  const hub: Hub = {
    register,
    methodNames: () => [...handlers.keys()],
    call(method, params, context) {
      const handler = handlers.get(method);
      if (handler === undefined) return Promise.reject(unknownMethod(method, handlers));
      return handler(params, context) as ReturnType<typeof hub.call<typeof method>>; // the handler of this very method
    },
    async callRaw(method, params, context) {
      const handler = handlers.get(method);
      const spec = specOf(method);
      if (handler === undefined || spec === undefined || spec.access === 'internal')
        throw unknownMethod(method, handlers);
      const parsed = spec.params.safeParse(params ?? {});
      if (!parsed.success) throw invalidParams(parsed.error, spec.params);
      try {
        return await handler(parsed.data, context);
      } catch (error) {
        throw toHubError(error, { method, context, log: parts.log });
      }
    },
    resolve(wanted, context) {
      const plugin = plugins.find(({ name, resolve }) => name === wanted.handle.source && resolve !== undefined);
      return plugin?.resolve?.(wanted, context) ?? null;
    },
    async close() {
      for (const plugin of plugins.toReversed()) await plugin.close?.();
    },
  };
  for (const plugin of parts.plugins) register(plugin);
  return hub;
}

function unknownMethod(method: string, handlers: ReadonlyMap<string, AnyHandler>): HubError {
  const open = [...handlers.keys()].filter((name) => specOf(name)?.access === 'client');
  const near = nearest(method, open);
  const shown = method.length > 100 ? `${method.slice(0, 100)}…` : method;
  return new HubError('method_not_found', `there is no method ${JSON.stringify(shown)}`, {
    hint: near === null ? [rpcMethod('rpc.discover'), ' lists every method'] : `did you mean ${near}?`,
  });
}

function toHubError(error: unknown, call: { method: string; context: CallContext; log: Log }): HubError {
  if (error instanceof HubError) return error;
  if (call.context.signal.aborted && error instanceof Error && error.name === 'AbortError') {
    return new HubError('cancelled', `${call.method} was cancelled`, { cause: error });
  }
  call.log('error', `${call.method} failed unexpectedly: ${traceOf(error)}`);
  return new HubError('internal', `the hub failed unexpectedly while it served ${call.method}`, {
    hint: ['the reason is in its log: ', cliCommand('hub logs')],
    cause: error,
  });
}

// Messages of other libraries may repeat their input; those of the language's own errors name only parts of the program.
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error} was thrown`;
  const errno = errnoOf(error);
  const code = errno === null ? '' : ` ${errno}`;
  const own = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  const message = own && code === '' ? `: ${error.message.split('\n', 1)[0]}` : '';
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return [`${error.name}${code}${message}`, ...frames.slice(0, 10)].join('\n');
}
