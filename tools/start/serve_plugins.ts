import { detach } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { CallContext, Plugin, Resolving } from '../../hub/base/plugin.js';
import type { Client } from '../../hub/client/client.js';
import type { PluginRequest } from '../../hub/protocol/methods/plugin_methods.js';

/** Events that the hub has not acknowledged yet; with more, emitters should wait. */
const UNTAKEN_BYTES_MAX = 1024 * 1024;
const UNTAKEN_MAX = 32;
const MESSAGE_LENGTH_MAX = 10_000;

type PluginHandler = (params: unknown, context: CallContext) => Promise<unknown>;

/** Handles the hub's calls to this process. */
export interface CallServer {
  take(request: PluginRequest): void;
  /** Resolves when every call has been answered. */
  answered(): Promise<void>;
}

/** Serves the plugin calls that the hub sends over a client's connection. */
export function servePlugins(client: Client, plugins: readonly Plugin[]): CallServer {
  const handlers = new Map<string, PluginHandler>();
  for (const plugin of plugins) {
    for (const [method, handler] of Object.entries(plugin.methods)) {
      handlers.set(method, handler as PluginHandler); // the hub has parsed its parameters by this method's own schema
    }
  }
  const running = new Map<number, Emitter & { controller: AbortController }>();

  async function perform(request: Exclude<PluginRequest, { kind: 'cancel' | 'room' }>, context: CallContext) {
    if (request.kind === 'call') {
      const handler = handlers.get(request.method);
      if (handler !== undefined) return handler(request.params, context);
      throw new HubError('method_not_found', `the tools do not serve ${request.method}`, {
        hint: ['the hub and the tools are of different versions: ', cliCommand('hub stop')],
      });
    }
    const plugin = plugins.find(({ name }) => name === request.plugin);
    if (plugin?.resolve === undefined)
      throw new HubError('resolve_failed', `${request.plugin} resolves no handles afresh`);
    return plugin.resolve(request.params as Resolving, context); // the hub passes on what its own type holds
  }

  let waiters: (() => void)[] = [];

  function finish(id: number): void {
    running.delete(id);
    if (running.size > 0) return;
    for (const resolve of waiters) resolve();
    waiters = [];
  }

  async function answer(request: Exclude<PluginRequest, { kind: 'cancel' | 'room' }>): Promise<void> {
    const { id } = request;
    const controller = new AbortController();
    const emitter = createEmitter(client, id);
    running.set(id, { ...emitter, controller });
    const { signal } = controller;
    const { emit, hasRoom, drained } = emitter;
    try {
      const result = await perform(request, { signal, caller: { kind: 'internal' }, emit, hasRoom, drained });
      await emitter.taken();
      await client.call('plugins.answer', { id, outcome: { kind: 'result', result } });
    } catch (error) {
      const { message, data } = toHubError(error, request);
      // A longer message might not fit a frame, and would never arrive.
      const failure = { message: message.slice(0, MESSAGE_LENGTH_MAX), data };
      await client.call('plugins.answer', { id, outcome: { kind: 'failure', failure } });
    } finally {
      finish(id);
    }
  }

  return {
    take(request) {
      if (request.kind === 'cancel') running.get(request.id)?.controller.abort();
      else if (request.kind === 'room') running.get(request.id)?.room();
      // Nothing waits for an answer that does not reach the hub any more.
      else detach(answer(request), () => undefined);
    },
    answered: () => (running.size === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
  };
}

interface Emitter extends Pick<CallContext, 'emit' | 'hasRoom' | 'drained'> {
  /** The caller has read what was sent. */
  room(): void;
  /** Resolves when the hub has acknowledged every event. */
  taken(): Promise<void>;
}

function createEmitter(client: Client, id: number): Emitter {
  let untakenBytes = 0;
  let untaken = 0;
  // Each "no room" is followed by a "room again", which may arrive first.
  let held = 0;
  let waiters: { done: () => boolean; resolve: () => void }[] = [];
  const hasRoom = (): boolean => held === 0 && untakenBytes < UNTAKEN_BYTES_MAX && untaken < UNTAKEN_MAX;

  function until(done: () => boolean): Promise<void> {
    if (done()) return Promise.resolve();
    return new Promise((resolve) => waiters.push({ done, resolve }));
  }

  function wakeReady(): void {
    const ready = waiters.filter(({ done }) => done());
    waiters = waiters.filter((waiter) => !ready.includes(waiter));
    for (const { resolve } of ready) resolve();
  }

  return {
    hasRoom,
    emit(event) {
      const bytes = sizeOf(event);
      untakenBytes += bytes;
      untaken += 1;
      const taken = (room: boolean): void => {
        untakenBytes -= bytes;
        untaken -= 1;
        if (!room) held += 1;
        wakeReady();
      };
      // When the hub has gone, everything here ends with it.
      detach(
        client.call('plugins.emit', { id, event }).then(({ room }) => taken(room)),
        () => taken(true),
      );
    },
    drained: () => until(hasRoom),
    taken: () => until(() => untaken === 0),
    room() {
      held -= 1;
      wakeReady();
    },
  };
}

function sizeOf(event: object): number {
  return 'data' in event && typeof event.data === 'string' ? event.data.length : 100;
}

function toHubError(error: unknown, request: PluginRequest): HubError {
  if (error instanceof HubError) return error;
  const about = request.kind === 'call' ? request.method : 'a handle';
  if (error instanceof Error && error.name === 'AbortError')
    return new HubError('cancelled', `${about} was cancelled`, { cause: error });
  console.error(`${about} failed unexpectedly:`, error instanceof Error ? error.stack : typeof error);
  return new HubError('internal', `the tools failed unexpectedly while they served ${about}`, {
    hint: ['the reason is in the log: ', cliCommand('hub logs')],
    cause: error,
  });
}
