import type { Client, QueryResultRow } from 'pg';
import { errnoOf } from '../base/errno.js';
import { HubError } from '../base/error.js';
import { cliCommand } from '../base/hint.js';
import { within } from '../base/wait_at_most.js';

const CONNECT_MS_MAX = 15_000;
const CLOSE_MS_MAX = 3_000;
/** How long one statement may take before the remote is taken for stuck. */
const STATEMENT_MS_MAX = 120_000;

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

/** Connects to a remote for as long as it is used; nothing of its address is in any message. */
export async function withRemote<T>(
  { name, address, signal }: { name: string; address: string; signal: AbortSignal },
  use: (remote: Remote) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const { newClient } = await import('./remote_kit.js');
  const client = newClient(address, CONNECT_MS_MAX);
  const hangUp = (): unknown => client.connection.stream.destroy();
  signal.addEventListener('abort', hangUp, { once: true });
  try {
    await client.connect();
    await client.query(`SET statement_timeout = ${STATEMENT_MS_MAX}`);
    return await use(remoteOn(name, client));
  } catch (error) {
    throw remoteError(name, error, signal);
  } finally {
    signal.removeEventListener('abort', hangUp);
    await within(CLOSE_MS_MAX, client.end());
  }
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
function remoteError(name: string, error: unknown, signal: AbortSignal): HubError {
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
