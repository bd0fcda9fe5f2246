import { detach, neverFails } from '../../../base/detach.js';
import type { ProviderServer } from '../../../base/provider_records.js';
import {
  DEEP_IDLE_MS_MAX,
  idleMsMax,
  type ModelEvent,
  type ModelRequest,
  SAID_BYTES_MAX,
} from '../../model/provider.js';
import { isOwnAddress, type ServerAccess } from '../../model/server_access.js';
import type { Timers } from '../../model/timers.js';
import { type ModelConnection, type ServerHeaders, watchConnection } from './model_connection.js';
import { type FailedRequest, failureOf } from './server_failure.js';
import type { Framing } from './whole_events.js';

/** How long a server may take to end the connection of a complete answer. */
const LINGER_MS_MAX = 1_000;
const LINGER_EVENTS_MAX = 100;
/** How long a server may take from the end of an answer to the count of its tokens, and what it may send meanwhile. */
const COUNT_MS_MAX = 10_000;
const COUNT_EVENTS_MAX = 100;

/** Reads the events of one answer in a server's dialect. */
export interface AnswerReader {
  /** What one event of the server means; an unknown one means nothing. */
  read(event: unknown): ModelEvent[];
  /** `answered`: why it ended is known. `closed`: nothing can follow. */
  state(): 'open' | 'answered' | 'closed';
  /** Nothing more comes; `isDone` when the server said so, and did not only end the connection. */
  conclude?(isDone: boolean): void;
  /** The last events of an answer whose end is known. */
  finish(): ModelEvent[];
}

/** One request in a server's dialect, and the reader of its answer. */
export interface DialectExchange extends AnswerReader {
  framing: Framing;
  /** Sends the request; the SDK gets its `fetch` and `signal` from the connection. */
  open(connection: ModelConnection): Promise<AsyncIterable<unknown>>;
}

/** A provider whose models are reached at a server. */
export interface ServedProvider {
  name: string;
  server: ProviderServer;
  timers: Timers;
}

export interface ServerRequest {
  provider: ServedProvider;
  request: ModelRequest;
  signal: AbortSignal;
  access: ServerAccess;
  /** What a dialect sends beside the key; null where an SDK signs what it sends. */
  headers: ServerHeaders | null;
}

/** Sends one request and yields what comes back; every failure becomes one that a person can read. */
export async function* exchange(
  dialect: DialectExchange,
  sent: ServerRequest,
): AsyncGenerator<ModelEvent, void, undefined> {
  const headers = sent.headers === null ? null : { ...sent.access.headers, ...sent.headers };
  const { timers } = sent.provider;
  const connection = watchConnection({
    ...{ timers, signal: sent.signal, headers, idleMs: silenceMsMax(sent), framing: dialect.framing },
    route: sent.request.route,
  });
  let events: AsyncIterator<unknown> | null = null;
  let visible = false;
  try {
    connection.wait();
    events = (await dialect.open(connection))[Symbol.asyncIterator]();
    for await (const event of modelEvents(dialect, connection, events)) {
      visible ||= isVisible(event);
      yield event;
    }
  } catch (error) {
    // All that an answer can lack after the reason of its end is the count of its tokens.
    if (dialect.state() === 'open' || connection.ending() === 'cancelled') {
      const { ending, contentType } = connection;
      throw failureOf(failedRequest(sent, { error, ending: ending(), contentType: contentType(), visible }));
    }
  } finally {
    if (events !== null && dialect.state() === 'closed') detach(drain(events, connection), neverFails);
    else connection.close();
  }
  yield* dialect.finish();
}

/** Reads the events of a server to the end of the answer. */
async function* modelEvents(
  reader: AnswerReader,
  connection: ModelConnection,
  events: AsyncIterator<unknown>,
): AsyncGenerator<ModelEvent, void, undefined> {
  let bytes = 0;
  for (
    let late = 0;
    reader.state() !== 'closed' && late < COUNT_EVENTS_MAX;
    late += Number(reader.state() !== 'open')
  ) {
    // What comes after the end of an answer is useful, but not worth a long wait.
    if (reader.state() === 'open') connection.wait();
    else connection.waitAtMost(COUNT_MS_MAX);
    const { done, value } = await events.next();
    connection.pause();
    if (done) {
      if (reader.state() === 'open') reader.conclude?.(connection.isDone());
      break;
    }
    for (const event of reader.read(value)) {
      bytes += storedBytes(event);
      if (bytes > SAID_BYTES_MAX) throw connection.tooLong();
      yield event;
    }
  }
  // An SDK also ends quietly when the connection is ended from this side.
  if (reader.state() === 'open') throw new Error('the answer has no end');
}

/** The size of an event as it is stored: with what JSON puts before quotes and control characters. */
function storedBytes(event: ModelEvent): number {
  switch (event.kind) {
    case 'text':
    case 'thinking':
    case 'call_input':
      return Buffer.byteLength(JSON.stringify(event.text));
    case 'thinking_signed':
      return event.signature?.length ?? 0;
    default:
      return 0;
  }
}

/** Reads a finished answer to the end of its connection, so that the next request finds that one open. */
async function drain(events: AsyncIterator<unknown>, connection: ModelConnection): Promise<void> {
  try {
    connection.waitAtMost(LINGER_MS_MAX);
    for (let count = 0; count < LINGER_EVENTS_MAX; count += 1) if ((await events.next()).done) break;
  } catch {
    // The answer is complete: what becomes of its connection changes nothing.
  } finally {
    connection.close();
  }
}

function failedRequest(
  sent: ServerRequest,
  failure: Pick<FailedRequest, 'error' | 'ending' | 'contentType' | 'visible'>,
): FailedRequest {
  const { provider, request, access } = sent;
  return {
    ...failure,
    idleMs: silenceMsMax(sent),
    nowMs: provider.timers.nowMs(),
    ...{ provider: provider.name, keyVariable: provider.server.keyVariable },
    hints: provider.server.hints,
    server: serverName(sent),
    model: request.model,
    secrets: access.secrets,
    route: request.route,
  };
}

/** One of the person's own loads models when they are asked, may read prompts without a graphics card, and is silent for long. */
function silenceMsMax({ provider, request }: ServerRequest): number {
  return provider.server.needsKey === 'never' ? DEEP_IDLE_MS_MAX : idleMsMax(request);
}

function isVisible({ kind }: ModelEvent): boolean {
  return kind === 'text' || kind === 'thinking' || kind === 'call_begun';
}

/** The provider by its name, and by its address where that was chosen, or is on the person's own machine. */
function serverName({ provider: { name, server }, access, request }: ServerRequest): string {
  const isHosted = server.needsKey !== 'never' && isOwnAddress(server, request.baseUrl);
  return isHosted ? name : `${name} at ${access.address.origin}`;
}
