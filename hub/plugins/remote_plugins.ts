import { randomBytes, timingSafeEqual } from 'node:crypto';
import { aborted, onAbort } from '../base/abort.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { type CallContext, type Handlers, type Log, type Plugin, RawJson, type Resolved } from '../base/plugin.js';
import { FRAME_BYTES_MAX } from '../protocol/limits.js';
import { METHODS } from '../protocol/methods/method_table.js';
import type { PluginRequest } from '../protocol/methods/plugin_methods.js';
import { createPluginCalls, type ForwardedCall, type PluginCalls, type Serving } from './remote_calls.js';
import { startToolsProcess, type ToolsProcess } from './tools_process.js';

const READY_MS_MAX = 30_000;
/** What stands around a request in its frame. */
const AROUND_BYTES = 1_000;
/** A process that ends sooner has had a short life. So many in a row are too many, and fewer when none got to serve. */
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
  /** Called when a process has begun or ended to serve. */
  onChange(): void;
}

/** Plugins that another process serves: started at the first call, and again when it dies. */
export interface PluginHost {
  /** What takes up that process, and what stands here for its plugins. */
  plugins: readonly Plugin[];
  /** Connections that are its own. */
  connections(): number;
  /** Starts the process now, because one before it left something to put in order. */
  start(): void;
  /** Ends what it runs, then the process. */
  end(): Promise<void>;
}

/** Makes the place where another process can serve plugins. */
export function createPluginHost(parts: PluginHostParts): PluginHost {
  const secret = randomBytes(32).toString('base64url');
  const calls = createPluginCalls();
  const post = createPost();
  let child: ToolsProcess | null = null;
  let shortLives = 0;
  let failures = 0;
  let hasServed = false;
  let isEnding = false;

  function start(): void {
    if (child !== null || isEnding) return;
    const startedAtMs = parts.clock();
    hasServed = false;
    const onExit = (): void => {
      child = null;
      shortLives = parts.clock() - startedAtMs < LIFE_MS_MIN ? shortLives + 1 : 0;
      failures = hasServed ? 0 : failures + 1;
      // What it left running is put in order by the next one. One that cannot start is left to whoever needs it.
      if (isEnding || failures >= FAILURES_MAX || shortLives >= SHORT_LIVES_MAX) post.giveUp(didNotStart());
      else start();
    };
    child = startToolsProcess({ ...parts, secret, onExit });
  }

  function ready(signal: AbortSignal): Promise<Serving> {
    if (isEnding) return Promise.reject(new HubError('cancelled', 'the hub is ending'));
    if (child === null) failures = shortLives = 0;
    start();
    return post.wait(signal);
  }

  async function serve(context: CallContext): Promise<void> {
    hasServed = true;
    post.take({ connection: connectionOf(context), send: (request) => context.emit(frameOf(request)) });
    parts.onChange();
    await aborted(context.signal);
    post.take(null);
    calls.failAll();
    parts.onChange();
  }

  return {
    plugins: [
      registrar({ secret, calls, post, serve }),
      ...standIns(async (call) => calls.forward(await ready(call.context.signal), call)),
    ],
    connections: () => (post.serving() === null ? 0 : 1),
    start,
    async end() {
      isEnding = true;
      post.giveUp(new HubError('cancelled', 'the hub is ending'));
      await child?.end();
    },
  };
}

interface Waiter {
  found(serving: Serving): void;
  failed(error: HubError): void;
}

/** Who serves at the moment, and who waits for somebody to. */
interface Post {
  serving(): Serving | null;
  take(serving: Serving | null): void;
  wait(signal: AbortSignal): Promise<Serving>;
  giveUp(error: HubError): void;
}

function createPost(): Post {
  const waiters = new Set<Waiter>();
  let serving: Serving | null = null;
  return {
    serving: () => serving,
    take(next) {
      serving = next;
      if (next !== null) for (const { found } of waiters) found(next);
    },
    giveUp(error) {
      for (const { failed } of waiters) failed(error);
    },
    async wait(signal) {
      if (serving !== null) return serving;
      let cleanUp = (): void => undefined;
      try {
        return await new Promise((found, failed) => {
          const waiter = { found, failed };
          waiters.add(waiter);
          const timer = setTimeout(() => failed(didNotStart()), READY_MS_MAX);
          const stopListening = onAbort(signal, () => failed(new HubError('cancelled', 'the call was cancelled')));
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

interface RegistrarParts {
  secret: string;
  calls: PluginCalls;
  post: Post;
  serve(context: CallContext): Promise<void>;
}

/** Takes up the process that shows the secret of its start, and what that process says. */
function registrar({ secret, calls, post, serve }: RegistrarParts): Plugin {
  const refuseOthers = (context: CallContext): void => {
    if (post.serving()?.connection === connectionOf(context)) return;
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
        if (post.serving() !== null) throw new HubError('conflict', 'the plugins are served already');
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

/** One stand-in for each plugin that the method table places in the process of the tools. */
function standIns(forward: (call: ForwardedCall) => Promise<unknown>): Plugin[] {
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

/** A request as it is sent: one that fits no frame would break the connection, with all calls that run over it. */
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
