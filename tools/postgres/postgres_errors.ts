import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { ErrorKind } from '../../hub/protocol/errors.js';
import { PREFIX, type Query } from './query_session.js';

/** A message of the library, which has no code for it. */
const NO_SSL = 'The server does not support SSL connections';
const MESSAGE_LENGTH_MAX = 1_000;
const READING_ONLY = 'one query that reads runs here: SELECT, VALUES, TABLE or WITH, without what changes data';

/** A query that has failed. */
export interface FailedQuery {
  /** The name of the connection; its address appears in no message. */
  connection: string;
  query: Query;
  isCancelled: boolean;
  isLate: boolean;
}

/** The error for a failed query. It contains nothing of the address: the server's messages about logins name the user. */
export function failureOf(error: unknown, failed: FailedQuery): HubError {
  const { connection, query } = failed;
  const seconds = query.timeoutMs / 1_000;
  if (failed.isCancelled) return new HubError('cancelled', 'the query was cancelled', { cause: error });
  const code = errnoOf(error) ?? '';
  if (failed.isLate || code === '57014') {
    return new HubError('limit', `the query took longer than ${seconds} s and was ended`, {
      hint: 'ask for less, or give it more time',
      cause: error,
    });
  }
  if (error instanceof RangeError) {
    return new HubError('limit', 'a row of the result, or what the server says of it, is too large to be fetched', {
      hint: 'select fewer columns, or a part of the value: left(column, 1000)',
      cause: error,
    });
  }
  if (isServerError(error)) return serverFailure(error, { connection, sql: query.sql, address: query.address });
  if (error instanceof Error && error.message.startsWith('SASL')) return refusedLogin(connection, error);
  if (error instanceof Error && error.message === NO_SSL) {
    return new HubError('network', `the server of the database ${connection} offers no encrypted connection (SSL)`, {
      hint: 'its address asks for one, by sslmode: where the way to the server is safe, it can do without',
      cause: error,
    });
  }
  return new HubError('network', `the server of the database ${connection} cannot be reached${code && ` (${code})`}`, {
    hint: ['is it running, and is its address right? ', cliCommand('config get', `postgres.${connection}`)],
    retryable: true,
    cause: error,
  });
}

/** An error of the server: its five-character code, a message, and a position in the query. */
interface ServerError extends Error {
  code: string;
  position?: string;
  hint?: string;
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'code' in error && 'severity' in error && /^[0-9A-Z]{5}$/.test(String(error.code));
}

interface ServerErrorContext {
  connection: string;
  sql: string;
  address: string;
}

function serverFailure(error: ServerError, context: ServerErrorContext): HubError {
  const { connection, sql } = context;
  const { code } = error;
  if (/^28/.test(code)) return refusedLogin(connection, error);
  if (code === '3D000') {
    return new HubError('not_found', `the server of ${connection} has no such database`, {
      hint: [cliCommand('config get', `postgres.${connection}`)],
      cause: error,
    });
  }
  if (code === '08P01' && /\$\d/.test(sql)) {
    return new HubError('invalid_params', `${connection}: the query has parameters such as $1, and nobody gives them`, {
      hint: 'write the values into the query',
      cause: error,
    });
  }
  if (/^(08|53|57|58)/.test(code)) {
    return new HubError('network', `the server of the database ${connection} does not serve us now (${code})`, {
      hint: 'try again later',
      retryable: true,
      cause: error,
    });
  }
  const message = withoutSecrets(error.message, context.address);
  const hint = error.hint === undefined ? null : withoutSecrets(error.hint, context.address);
  const isRefused = code === '25006' || code === '0A000' || code === '42601';
  return new HubError(kindOf(code), `${connection}: ${message}${positionText(error, sql)} (${code})`, {
    ...(isRefused || hint !== null ? { hint: hint ?? READING_ONLY } : {}),
    cause: error,
  });
}

// Class 42 is about the text of a query, 22 about values in it.
function kindOf(code: string): ErrorKind {
  return /^(42|22|0A|25)/.test(code) ? 'invalid_params' : 'resolve_failed';
}

/** The position in the query, counted from 1; the server counts characters from the start of what it was sent. */
function positionText({ position }: ServerError, sql: string): string {
  const offset = Number(position) - PREFIX.length - 1;
  if (!(offset >= 0)) return '';
  const lines = [...sql].slice(0, offset).join('').split('\n');
  return ` at line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`;
}

function refusedLogin(connection: string, cause: Error): HubError {
  return new HubError('unauthorised', `the server of the database ${connection} refuses the login`, {
    hint: [
      'set its address anew, with user and password: ',
      cliCommand('config set', `postgres.${connection}`, '<address>'),
    ],
    cause,
  });
}

/** Removes passwords that the server repeats, and cuts the text: a repeated value may be of any length. */
function withoutSecrets(text: string, address: string): string {
  const secrets = URL.canParse(address) ? passwordsOf(new URL(address)) : [];
  const clean = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  const start = [...clean.slice(0, 2 * MESSAGE_LENGTH_MAX)];
  return start.length <= MESSAGE_LENGTH_MAX ? clean : `${start.slice(0, MESSAGE_LENGTH_MAX).join('')}…`;
}

function passwordsOf({ password, searchParams }: URL): string[] {
  const raw = [password, searchParams.get('password') ?? ''].filter((one) => one !== '');
  return [...raw, ...raw.map((one) => new URLSearchParams(`p=${one.replaceAll('+', '%2B')}`).get('p') ?? one)];
}
