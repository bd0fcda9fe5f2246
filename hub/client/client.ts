import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { JSONRPCErrorException } from 'json-rpc-2.0/dist/models.js';
import type { z } from 'zod';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { homeFolder, VERSION } from '../config/config.js';
import type { ErrorData } from '../protocol/errors.js';
import type { WatchEvent } from '../protocol/feed_events.js';
import { PROTOCOL } from '../protocol/limits.js';
import type { METHODS, MethodName, ParamsOf, ResultOf } from '../protocol/methods/method_table.js';
import { type ConnectedHub, ensureHub } from './find_hub.js';
import { openLink } from './link.js';
import type { Request } from './open_requests.js';
import { refuseWriting } from './read_only_home.js';
import { repeatable } from './repeatable_call.js';
import { createRequests, type LineState } from './requests.js';

// Programs have one module to import from, and tell failures apart by this class.
export { HubError };

const BACKOFF_MS_MAX = 2_000;

/** The hub of a home folder; by default the person's own. */
export interface HomeHub {
  /** The home folder; by default COGNITION_HOME or ~/.cognition. */
  home?: string | undefined;
  /** Whether to start a hub when none runs; true by default. */
  start?: boolean | undefined;
  /** The built file of the hub, when it is not beside this one. */
  hubEntry?: string | undefined;
  /** The loopback address, as `host:port`, that the hub must listen on as well. */
  listen?: string | undefined;
}

/** A hub that listens on TCP, by the token in its home folder. */
export interface AddressHub {
  address: { host: string; port: number; token: string };
}

/** Which hub to connect to, and a signal that cancels connecting. */
export type ConnectOptions = (HomeHub | AddressHub) & { signal?: AbortSignal | undefined };

type MethodTable = typeof METHODS;
type StreamingMethod = { [M in MethodName]: MethodTable[M] extends { event: z.ZodType } ? M : never }[MethodName];
type EventOf<M extends StreamingMethod> = z.output<MethodTable[M]['event']>;

type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;

export interface WatchOptions {
  /** One tree; all of them without it. */
  tree?: ParamsOf<'loom.watch'>['tree'] | undefined;
  /** The `seq` to continue after; without it, only new events. */
  since?: number | null | undefined;
  /** The epoch that `since` was read in. */
  epoch?: string | null | undefined;
  /** Nothing more is read until its promise settles. */
  onEvent(event: WatchEvent): void | Promise<void>;
  /** Ends the watch. */
  signal?: AbortSignal | undefined;
}

interface StreamOptions<Event> {
  onEvent(event: Event): void | Promise<void>;
  signal?: AbortSignal | undefined;
  /** Whether this alone restarts a hub that was ended in order; true by default. */
  startsHub?: boolean | undefined;
}

/** A connection to a hub, reconnected whenever it breaks. */
export interface Client {
  /** The hub of the last connection; `note` is for the person, such as that its version differs. */
  readonly hub: { version: string; protocol: number; epoch: string; listen: string | null; note: string | null };
  /** Calls a method. After a break it is sent again, with ids filled in that the caller left out, so nothing is done twice. */
  call<M extends MethodName>(
    method: M,
    params: ParamsOf<M>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<ResultOf<M>>;
  /** Calls a method that sends events until it is answered. */
  stream<M extends StreamingMethod>(
    method: M,
    params: Omit<ParamsOf<M>, 'stream'>,
    options: StreamOptions<EventOf<M>>,
  ): Promise<ResultOf<M>>;
  /** Reads a list to its end, page by page: `key` is the field that holds the items. */
  pages<M extends MethodName, K extends keyof ResultOf<M>>(
    method: M,
    params: ParamsOf<M>,
    key: K,
  ): AsyncIterable<ItemOf<ResultOf<M>[K]>>;
  /** Follows the feed until the signal aborts; across reconnections no event is missed or repeated. */
  watch(options: WatchOptions): Promise<void>;
  /** Calls a listener when the hub is lost, is back, or cannot be reached; the result removes the listener. */
  onLine(listener: (state: LineState) => void): () => void;
  close(): Promise<void>;
}

/** Connects to a hub, starting it when necessary. */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const connectOnce = connectorFor(options);
  const mayStart = 'address' in options || (options.start ?? true);
  let hub = await connectOnce(mayStart, options.signal ?? new AbortController().signal);
  const listeners = new Set<(state: LineState) => void>();
  const requests = createRequests(hub, {
    toError: hubErrorFrom,
    onChange(state) {
      for (const listener of listeners) listener(state);
    },
    async reconnect({ start, signal }) {
      hub = await retryConnecting(() => connectOnce(start && mayStart, signal), { start, signal });
      return hub;
    },
  });
  const plain = { onEvent: null, signal: null, resend: true, startsHub: true };
  const send: Send = async (request) => {
    if (hub.readOnlyHome !== null) refuseWriting(hub.readOnlyHome, request.method);
    return requests.send({ ...plain, ...request });
  };

  const client: Client = {
    get hub() {
      const { version, protocol, epoch, listen } = hub.hub;
      return { version, protocol, epoch, listen, note: hub.note };
    },
    async call(method, params, { signal } = {}) {
      const result = await send({ ...repeatable(method, params), signal: signal ?? null });
      return result as ResultOf<typeof method>; // the hub answers by the same method table
    },
    async stream(method, params, { onEvent, signal = null, startsHub = true }) {
      const take = (event: unknown) => onEvent(event as EventOf<typeof method>); // as above
      const result = await send({ ...repeatable(method, params), onEvent: take, signal, startsHub });
      return result as ResultOf<typeof method>; // as above
    },
    async *pages(method, params, key) {
      let cursor: unknown = null;
      do {
        const page: Record<PropertyKey, unknown> = {
          ...(await client.call(method, { ...params, ...(cursor === null ? {} : { cursor }) })),
        };
        yield* page[key] as ItemOf<ResultOf<typeof method>[typeof key]>[]; // as above
        cursor = page.cursor;
      } while (typeof cursor === 'string');
    },
    watch: (watching) => watchFeed(send, watching),
    onLine(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    close: requests.close,
  };
  return client;
}

type Send = (request: Partial<Request> & Pick<Request, 'method' | 'params'>) => Promise<unknown>;

/** Each resend continues after the last event received. */
async function watchFeed(send: Send, { tree = null, since = null, epoch = null, ...options }: WatchOptions) {
  const { onEvent, signal } = options;
  const position = { since, epoch };
  const take = (untyped: unknown): void | Promise<void> => {
    const event = untyped as WatchEvent; // the hub sends by the same method table
    position.since = event.seq;
    position.epoch = 'epoch' in event ? event.epoch : position.epoch;
    return onEvent(event);
  };
  const params = () => ({ tree, ...position });
  const wanted = { method: 'loom.watch', params, onEvent: take, startsHub: false, signal: signal ?? null };
  await send(wanted).catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
  });
}

function connectorFor(options: ConnectOptions): (start: boolean, signal: AbortSignal) => Promise<ConnectedHub> {
  const program = { version: VERSION, protocol: PROTOCOL };
  if ('address' in options) {
    const { address } = options;
    return async () => {
      const link = await openLink({ kind: 'tcp', ...address }, program);
      if (link !== null) return { ...link, note: null, readOnlyHome: null };
      throw new HubError('unreachable', `no hub listens on ${address.host}:${address.port}`, {
        hint: ['start it with: ', cliCommand('hub start', '--listen', 'host:port')],
        retryable: true,
      });
    };
  }
  const entry = options.hubEntry ?? fileURLToPath(new URL('./hub.js', import.meta.url));
  const home = options.home ?? homeFolder();
  // Calls under way are sent again to the next hub: what may have been a write must not go to a copy.
  let mayCopy = true;
  return async (start, signal) => {
    const hub = await ensureHub({ home, entry, start, listen: options.listen ?? null, program, signal, mayCopy });
    mayCopy = hub.readOnlyHome !== null;
    return hub;
  };
}

// A hub that was ended in order restarts when a client needs it; until then a watch polls for it.
async function retryConnecting(
  connectOnce: () => Promise<ConnectedHub>,
  { start, signal }: { start: boolean; signal: AbortSignal },
): Promise<ConnectedHub> {
  for (let backoffMs = 50; ; backoffMs = Math.min(backoffMs * 2, BACKOFF_MS_MAX)) {
    try {
      return await connectOnce();
    } catch (error) {
      const isGone = error instanceof HubError && error.kind === 'unreachable' && error.retryable;
      if (start || !isGone) throw error;
    }
    await wait(backoffMs, undefined, { signal });
  }
}

/** The error of a call, as the hub sent it or as it arose here. */
function hubErrorFrom(error: unknown): HubError {
  if (error instanceof HubError) return error;
  if (!(error instanceof JSONRPCErrorException)) return internalError(error);
  if (error.data instanceof HubError) return error.data;
  const data: ErrorData | undefined = error.data; // by the hub's own schema
  if (data === undefined) return new HubError('internal', error.message);
  const { kind, hint, retryable, details } = data;
  return new HubError(kind, error.message, { ...(hint === null ? {} : { hint }), retryable, details });
}

function internalError(error: unknown): HubError {
  return new HubError('internal', error instanceof Error ? error.message : String(error), { cause: error });
}
