import type { Client, QueryResultRow } from 'pg';
import { onAbort } from '../base/abort.js';
import { errnoOf } from '../base/errno.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { within } from '../base/wait_at_most.js';

const CONNECT_MS_MAX = 15_000;
const CLOSE_MS_MAX = 3_000;
/** How long one statement may take before the remote is taken for stuck. */
const STATEMENT_MS_MAX = 120_000;
/** What a remote has acknowledged is on its disk, also where its owner has said otherwise for all. */
const DURABLY =
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit', true) = 'off'";
/** How much later than that the answer may come before the way there is taken for cut. */
const ANSWER_MS = 15_000;
/**
 * What every connection sets. What the server knows of how large a tree is may be old: then it would read and sort all that is left of one
 * for each page of it, where an index has the page in its order. What is turned off costs so much in its plans that it would compile them.
 */
const SETTINGS = [
  `SET statement_timeout = ${STATEMENT_MS_MAX}`,
  ...['enable_sort', 'enable_bitmapscan', 'jit'].map((name) => `SET ${name} = off`),
].join('; ');

export type RemoteValue = string | number | null | Buffer | readonly (string | number | null)[];

/** A connection to a remote. */
export interface Remote {
  name: string;
  /** The rows, each value as PostgreSQL writes it. */
  query<Row extends QueryResultRow>(sql: string, values?: readonly RemoteValue[]): Promise<Row[]>;
  /** Does all of it at the remote, or nothing. */
  inTransaction<T>(work: () => Promise<T>): Promise<T>;
  isEncrypted(): boolean;
}

interface Address {
  name: string;
  address: string;
  signal: AbortSignal;
}

/** A connection that stays. */
export interface OpenRemote extends Remote {
  /** Calls back for what other connections announce on a channel; whether the server tells of it at all is not known by that. */
  listen(channel: string, tell: (payload: string, isOwn: boolean) => void): Promise<void>;
  /** Aborted when the connection is gone. */
  lost: AbortSignal;
  close(): Promise<void>;
}

/** Connects to a remote for as long as it is used; nothing of its address is in any message. */
export async function withRemote<T>(at: Address, use: (remote: Remote) => Promise<T>): Promise<T> {
  const remote = await openRemote(at);
  try {
    return await use(remote);
  } catch (error) {
    throw remoteError(at.name, error, at.signal);
  } finally {
    await remote.close();
  }
}

/** The address of a remote that the person has named. */
export function requireAddress(parts: { addressOf(name: string): string | null }, name: string): string {
  const address = parts.addressOf(name);
  if (address !== null) return address;
  throw new HubError('not_found', `there is no remote ${JSON.stringify(name)}`, {
    hint: ['give it an address: ', cliCommand('remote add', name, 'postgres://user:password@host/database')],
  });
}

export async function openRemote({ name, address, signal }: Address): Promise<OpenRemote> {
  signal.throwIfAborted();
  const { newClient } = await import('./remote_kit.js');
  const client = newClient(address, { connectMs: CONNECT_MS_MAX, answerMs: STATEMENT_MS_MAX + ANSWER_MS });
  const stopListening = onAbort(signal, () => client.connection.stream.destroy());
  const lost = new AbortController();
  client.once('end', () => lost.abort());
  const close = async (): Promise<void> => {
    stopListening();
    await within(CLOSE_MS_MAX, client.end());
  };
  try {
    await client.connect();
    await client.query(`${SETTINGS}; ${DURABLY}`);
  } catch (error) {
    await close();
    throw remoteError(name, error, signal);
  }
  return {
    ...remoteOn(name, client),
    ...{ lost: lost.signal, close },
    async listen(channel, tell) {
      const { rows } = await client.query<{ pid: string }>('SELECT pg_backend_pid() AS pid');
      client.on('notification', (told) => {
        if (told.channel === channel) tell(told.payload ?? '', String(told.processId) === rows[0]?.pid);
      });
      await client.query(`LISTEN ${channel}`);
    },
  };
}

function remoteOn(name: string, client: Client): Remote {
  return {
    name,
    query: async <Row extends QueryResultRow>(sql: string, values: readonly RemoteValue[] = []) =>
      (await client.query<Row>(sql, [...values])).rows,
    async inTransaction(work) {
      await client.query('BEGIN');
      try {
        const done = await work();
        await client.query('COMMIT');
        return done;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => undefined); // the first failure is the one to tell
        throw error;
      }
    },
    isEncrypted: () => 'encrypted' in client.connection.stream,
  };
}

/** What PostgreSQL says may quote a password or a text; its code does not. */
export function remoteError(name: string, error: unknown, signal: AbortSignal): HubError {
  if (error instanceof HubError) return error;
  if (signal.aborted) return new HubError('cancelled', `the call to ${name} was cancelled`, { cause: error });
  const code = errnoOf(error) ?? '';
  const told = code === '' ? '' : ` (${code})`;
  if (/^28/.test(code) || (error instanceof Error && error.message.startsWith('SASL'))) {
    return new HubError('unauthorised', `the remote ${name} refuses the login${told}`, {
      hint: ['set its address anew, with user and password: ', cliCommand('remote add', name, '<address>')],
    });
  }
  if (code === '42501') {
    return new HubError('unauthorised', `the remote ${name} does not let you do that${told}`, {
      hint: 'who owns it can make you a writer: GRANT cognition_writer TO …',
    });
  }
  if (code === '42P01' || code === '3F000') {
    return new HubError('not_found', `the database of ${name} is not prepared for sharing`, {
      hint: ['prepare it: ', cliCommand('remote init', name)],
    });
  }
  if (code === '3D000') return new HubError('not_found', `the server of ${name} has no such database`);
  return new HubError('network', `the remote ${name} cannot be reached${told}`, {
    hint: ['what is not sent now is sent next time; look with: ', cliCommand('remote doctor', name)],
    retryable: true,
    cause: error,
  });
}
