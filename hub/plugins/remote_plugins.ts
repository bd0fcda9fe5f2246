import { randomBytes, timingSafeEqual } from 'node:crypto';
import { aborted, onAbort } from '../base/abort.js';
import { detach, neverFails } from '../base/detach.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { type CallContext, type Handlers, type Log, type Plugin, RawJson, type Resolved } from '../base/plugin.js';
import { FRAME_BYTES_MAX } from '../protocol/limits.js';
import { METHODS } from '../protocol/methods/method_table.js';
import type { PluginRequest } from '../protocol/methods/plugin_methods.js';
import { createPluginCalls, type ForwardedCall, type PluginCalls, type Serving } from './remote_calls.js';
import { startToolsProcess, type ToolsProcess } from './tools_process.js';

export const READY_MS_MAX = 30_000;
/** Bytes of a frame around its request. */
const AROUND_BYTES = 1_000;
// A process that ends sooner counts as a short life. After so many in a row it is not started again, and after fewer when none
// got to serve.
const LIFE_MS_MIN = 2_000;
const SHORT_LIVES_MAX = 20;
const FAILURES_MAX = 3;

export interface PluginHostParts {
  /** The built file of the process that serves plugins. */
  entry: string;
  home: string;
  logFile: string;
  log: Log;
  clock(): number;
  /** How long a process may take until it serves. */
  readyMsMax: number;
  /** Called when a process starts or stops serving. */
  onChange(): void;
}

/** Plugins that another process serves, which starts at the first call and again when it dies. */
export interface PluginHost {
  /** The plugin that registers that process, and a proxy for each of its plugins. */
  plugins: readonly Plugin[];
  /** The connection that it serves by; null while none does. */
  connection(): number | null;
  /** Starts the process now, because a previous one left commands to clean up. */
  start(): void;
  /** Ends the process in order. */
  end(): Promise<void>;
}

/** Hosts the plugins that another process serves. */
export function createPluginHost(parts: PluginHostParts): PluginHost {
  const secret = randomBytes(32).toString('base64url');
  const calls = createPluginCalls();
  const slot = createServingSlot(parts.readyMsMax);
  let child: ToolsProcess | null = null;
  let shortLives = 0;
  let failures = 0;
  let hasServed = false;
  let isEnding = false;
  let tooLate: NodeJS.Timeout | undefined;

  function start(): void {
    if (child !== null || isEnding) return;
    const startedAtMs = parts.clock();
    hasServed = false;
    const onExit = (): void => {
      clearTimeout(tooLate);
      child = null;
      shortLives = parts.clock() - startedAtMs < LIFE_MS_MIN ? shortLives + 1 : 0;
      failures = hasServed ? 0 : failures + 1;
      // The next process cleans up what this one left running. One that cannot start is retried by the next call.
      if (isEnding || failures >= FAILURES_MAX || shortLives >= SHORT_LIVES_MAX) slot.giveUp(didNotStart());
      else start();
    };
    const started = startToolsProcess({ ...parts, secret, onExit });
    // One that hangs before it serves would be waited for by every call.
    tooLate = setTimeout(started.kill, parts.readyMsMax);
    child = started;
  }

  function ready(signal: AbortSignal): Promise<Serving> {
    if (isEnding) return Promise.reject(new HubError('cancelled', 'the hub is ending'));
    if (child === null) failures = shortLives = 0;
    start();
    return slot.wait(signal);
  }

  async function serve(context: CallContext): Promise<void> {
    const own = child;
    hasServed = true;
    clearTimeout(tooLate);
    slot.take({ connection: connectionOf(context), send: (request) => context.emit(frameOf(request)) });
    parts.onChange();
    await aborted(context.signal);
    slot.take(null);
    calls.failAll();
    parts.onChange();
    if (own !== null) detach(own.end(), neverFails); // it has lost the hub, and may hang
  }

  return {
    plugins: [
      registrationPlugin({ secret, calls, slot, serve }),
      ...proxyPlugins(async (call) => calls.forward(await ready(call.context.signal), call)),
    ],
    connection: () => slot.serving()?.connection ?? null,
    start,
    async end() {
      isEnding = true;
      slot.giveUp(new HubError('cancelled', 'the hub is ending'));
      await child?.end();
    },
  };
}

interface Waiter {
  resolve(serving: Serving): void;
  reject(error: HubError): void;
}

/** The process that currently serves, and the calls that wait for one. */
interface ServingSlot {
  serving(): Serving | null;
  take(serving: Serving | null): void;
  wait(signal: AbortSignal): Promise<Serving>;
  giveUp(error: HubError): void;
}

function createServingSlot(readyMsMax: number): ServingSlot {
  const waiters = new Set<Waiter>();
  let serving: Serving | null = null;
  return {
    serving: () => serving,
    take(next) {
      serving = next;
      if (next !== null) for (const { resolve } of waiters) resolve(next);
    },
    giveUp(error) {
      for (const { reject } of waiters) reject(error);
    },
    async wait(signal) {
      if (serving !== null) return serving;
      let cleanUp = (): void => undefined;
      try {
        return await new Promise((resolve, reject) => {
          const waiter = { resolve, reject };
          waiters.add(waiter);
          const timer = setTimeout(() => reject(didNotStart()), readyMsMax);
          const stopListening = onAbort(signal, () => reject(new HubError('cancelled', 'the call was cancelled')));
          cleanUp = () => {
            waiters.delete(waiter);
            clearTimeout(timer);
            stopListening();
          };
        });
      } finally {
        cleanUp();
      }
    },
  };
}

interface RegistrationParts {
  secret: string;
  calls: PluginCalls;
  slot: ServingSlot;
  serve(context: CallContext): Promise<void>;
}

/** Registers the process that presents the secret of its start, and takes its events and answers. */
function registrationPlugin({ secret, calls, slot, serve }: RegistrationParts): Plugin {
  const refuseOthers = (context: CallContext): void => {
    if (slot.serving()?.connection === connectionOf(context)) return;
    throw new HubError('unauthorised', 'this connection serves no plugins');
  };
  return {
    name: 'plugins',
    version: '1.0.0',
    methods: {
      'plugins.serve': async ({ secret: given }, context) => {
        if (!isSame(given, secret)) {
          throw new HubError('unauthorised', 'only the process that the hub has started may serve plugins', {
            hint: 'plugins are part of the program: see docs/architecture.md',
          });
        }
        if (slot.serving() !== null) throw new HubError('conflict', 'the plugins are served already');
        await serve(context);
        return {};
      },
      'plugins.emit': async ({ id, event }, context) => {
        refuseOthers(context);
        return calls.emit(id, event);
      },
      'plugins.answer': async ({ id, outcome }, context) => {
        refuseOthers(context);
        calls.answer(id, outcome);
        return {};
      },
    },
  };
}

/** A proxy for each plugin that the method table places in the tools process. */
function proxyPlugins(forward: (call: ForwardedCall) => Promise<unknown>): Plugin[] {
  const byName = new Map<string, Handlers>();
  for (const [method, { host }] of Object.entries(METHODS)) {
    if (host !== 'tools') continue;
    const name = method.split('.', 1)[0] ?? '';
    const call = (params: unknown, context: CallContext) =>
      forward({ about: method, request: (id) => ({ kind: 'call', id, method, params }), context });
    byName.set(name, { ...byName.get(name), [method]: call });
  }
  return [...byName].map(([name, methods]) => ({
    name,
    version: 'remote',
    methods,
    resolve: async (wanted, context) => {
      const request = (id: number): PluginRequest => ({ kind: 'resolve', id, plugin: name, params: wanted });
      return (await forward({ about: `a handle of ${name}`, request, context })) as Resolved; // what its plugin returned
    },
  }));
}

/** A request as it is sent: one that exceeds a frame would break the connection, with all calls on it. */
function frameOf(request: PluginRequest): RawJson {
  const text = JSON.stringify(request);
  if (text.length * 3 + AROUND_BYTES <= FRAME_BYTES_MAX) return new RawJson(text);
  if (Buffer.byteLength(text) + AROUND_BYTES <= FRAME_BYTES_MAX) return new RawJson(text);
  throw new HubError('limit', `the call is larger than the ${FRAME_BYTES_MAX} bytes of a frame`, {
    hint: 'send less at a time',
  });
}

function connectionOf({ caller }: CallContext): number {
  return caller.kind === 'client' ? caller.connection : 0;
}

function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function didNotStart(): HubError {
  return new HubError('unreachable', 'the process of the tools does not start', {
    hint: ['run: ', cliCommand('hub logs')],
    retryable: true,
  });
}
