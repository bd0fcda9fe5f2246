import type { ModelEvent, ModelRequest, ProviderParts } from '../provider.js';
import { type ModelConnection, watchConnection } from './connection.js';
import { type FailedRequest, failureOf } from './failure.js';

/** How long a server may take to end the connection of an answer that is complete. */
const LINGER_MS_MAX = 1_000;
const LINGER_EVENTS_MAX = 100;

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

export interface ModelExchange {
  request: ModelRequest;
  parts: ProviderParts;
  signal: AbortSignal;
  provider: string;
  address: URL;
  key: string;
}

/** Sends one request and gives out what comes back, with every failure made into one that a person can read. */
export async function* exchange(wire: Wire, about: ModelExchange): AsyncGenerator<ModelEvent, void, undefined> {
  const connection = watchConnection(about.parts, about.signal);
  let events: AsyncIterator<unknown> | null = null;
  let visible = false;
  try {
    connection.wait();
    events = (await wire.open(connection))[Symbol.asyncIterator]();
    while (wire.state() !== 'closed') {
      connection.wait();
      const { done, value } = await events.next();
      connection.pause();
      if (done) break;
      for (const meant of wire.read(value)) {
        visible ||= isVisible(meant);
        yield meant;
      }
    }
    // An SDK also ends quietly when the connection is ended from this side.
    if (wire.state() === 'open') throw new Error('the answer has no end');
  } catch (error) {
    // All that an answer can lack after the reason of its end is the count of its tokens.
    if (wire.state() === 'open' || connection.ending() === 'cancelled') {
      throw failureOf(
        failing(about, { error, ending: connection.ending(), contentType: connection.contentType(), visible }),
      );
    }
  } finally {
    if (events !== null && wire.state() === 'closed') void letEnd(events, connection);
    else connection.close();
  }
  yield* wire.finish();
}

/** Reads a finished answer to the end of its connection, so that the next request finds that one open. */
async function letEnd(events: AsyncIterator<unknown>, connection: ModelConnection): Promise<void> {
  try {
    connection.wait(LINGER_MS_MAX);
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
  const { parts, provider, request, key } = about;
  return { ...what, nowMs: parts.nowMs(), provider, server: serverName(about), model: request.model, key };
}

function isVisible({ kind }: ModelEvent): boolean {
  return kind === 'text' || kind === 'thinking' || kind === 'call_begun';
}

/** The provider by its name, and by its address where a person has chosen that. */
function serverName({ provider, address, request }: ModelExchange): string {
  return request.baseUrl === null ? provider : `${provider} at ${address.origin}`;
}
