import { detach, neverFails } from '../../../base/detach.js';
import type { ProviderServer } from '../../../base/provider_records.js';
import { type ModelEvent, type ModelRequest, SAID_BYTES_MAX } from '../../model/provider.js';
import type { ServerAccess } from '../../model/server_access.js';
import type { Timers } from '../../model/timers.js';
import { type ModelConnection, type ServerHeaders, watchConnection } from './model_connection.js';
import { type FailedRequest, failureOf } from './server_failure.js';

/** How long a server may take to end the connection of an answer that is complete. */
const LINGER_MS_MAX = 1_000;
const LINGER_EVENTS_MAX = 100;
/** How long a server may take from the end of an answer to the count of its tokens, and what it may send meanwhile. */
const COUNT_MS_MAX = 10_000;
const COUNT_EVENTS_MAX = 100;

/** One provider's way of saying and hearing things. */
export interface Wire {
  /** Sends the request; the SDK gets its `fetch` and `signal` from the connection. */
  open(connection: ModelConnection): Promise<AsyncIterable<unknown>>;
  /** What one event of the server means; one that is not known means nothing. */
  read(event: unknown): ModelEvent[];
  /** `answered`: why it ended is known. `closed`: nothing can follow. */
  state(): 'open' | 'answered' | 'closed';
  /** What is left to tell of an answer whose end is known. */
  finish(): ModelEvent[];
}

/** A provider whose models are reached at a server. */
export interface ServedProvider {
  name: string;
  server: ProviderServer;
  timers: Timers;
}

export interface ModelExchange {
  provider: ServedProvider;
  request: ModelRequest;
  signal: AbortSignal;
  access: ServerAccess;
  /** What a dialect sends beside the key. */
  headers: ServerHeaders;
}

/** Sends one request and gives out what comes back, with every failure made into one that a person can read. */
export async function* exchange(wire: Wire, about: ModelExchange): AsyncGenerator<ModelEvent, void, undefined> {
  const { provider, signal, access } = about;
  const headers = { authorization: `Bearer ${access.key}`, ...about.headers };
  const connection = watchConnection({ timers: provider.timers, signal, headers });
  let events: AsyncIterator<unknown> | null = null;
  let visible = false;
  try {
    connection.wait();
    events = (await wire.open(connection))[Symbol.asyncIterator]();
    for await (const meant of heard(wire, connection, events)) {
      visible ||= isVisible(meant);
      yield meant;
    }
  } catch (error) {
    // All that an answer can lack after the reason of its end is the count of its tokens.
    if (wire.state() === 'open' || connection.ending() === 'cancelled') {
      throw failureOf(
        failing(about, { error, ending: connection.ending(), contentType: connection.contentType(), visible }),
      );
    }
  } finally {
    if (events !== null && wire.state() === 'closed') detach(letEnd(events, connection), neverFails);
    else connection.close();
  }
  yield* wire.finish();
}

/** What the events of a server mean, to the end of the answer. */
async function* heard(
  wire: Wire,
  connection: ModelConnection,
  events: AsyncIterator<unknown>,
): AsyncGenerator<ModelEvent, void, undefined> {
  let said = 0;
  for (let late = 0; wire.state() !== 'closed' && late < COUNT_EVENTS_MAX; late += Number(wire.state() !== 'open')) {
    waitForMore(connection, wire);
    const { done, value } = await events.next();
    connection.pause();
    if (done) break;
    for (const meant of wire.read(value)) {
      said += saidBytes(meant);
      if (said > SAID_BYTES_MAX) throw connection.tooLong();
      yield meant;
    }
  }
  // An SDK also ends quietly when the connection is ended from this side.
  if (wire.state() === 'open') throw new Error('the answer has no end');
}

/** As it is stored: with what JSON puts before quotes and control characters. */
function saidBytes(event: ModelEvent): number {
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

/** What comes after the end of an answer is wanted, but not worth a long wait. */
function waitForMore(connection: ModelConnection, wire: Wire): void {
  if (wire.state() === 'open') connection.wait();
  else connection.waitAtMost(COUNT_MS_MAX);
}

/** Reads a finished answer to the end of its connection, so that the next request finds that one open. */
async function letEnd(events: AsyncIterator<unknown>, connection: ModelConnection): Promise<void> {
  try {
    connection.waitAtMost(LINGER_MS_MAX);
    for (let count = 0; count < LINGER_EVENTS_MAX; count += 1) if ((await events.next()).done) break;
  } catch {
    // The answer is complete: what becomes of its connection changes nothing.
  } finally {
    connection.close();
  }
}

function failing(
  about: ModelExchange,
  what: Pick<FailedRequest, 'error' | 'ending' | 'contentType' | 'visible'>,
): FailedRequest {
  const { provider, request, access } = about;
  return {
    ...what,
    nowMs: provider.timers.nowMs(),
    provider: provider.name,
    hints: provider.server.hints,
    server: serverName(about),
    model: request.model,
    key: access.key,
  };
}

function isVisible({ kind }: ModelEvent): boolean {
  return kind === 'text' || kind === 'thinking' || kind === 'call_begun';
}

/** The provider by its name, and by its address where that was chosen, or is on the person's own machine. */
function serverName({ provider: { name, server }, access, request }: ModelExchange): string {
  const isHosted = request.baseUrl === null && server.needsKey !== 'never';
  return isHosted ? name : `${name} at ${access.address.origin}`;
}
