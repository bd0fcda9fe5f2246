import type { Client, QueryArrayResult } from 'pg';
import { byteLength, type Cell, lineOf } from './row_lines.js';

const CONNECT_MS_MAX = 15_000;
/** How long cancelling on the server, and closing a connection, may take. */
const CANCEL_MS_MAX = 3_000;
const CURSOR = 'cognition_rows';
/** The prefix of the query, exported so that error positions can be corrected. */
export const PREFIX = `DECLARE ${CURSOR} NO SCROLL CURSOR FOR `;
/** About how much is fetched at once, and the most that may arrive for it: a single value can have a gigabyte. */
const SLICE_BYTES = 256 * 1024;
const SLICE_ROWS_MAX = 500;
const ARRIVING_BYTES_MAX = 64 * 1024 * 1024;

export interface Query {
  /** The address of the database, with its password. */
  address: string;
  sql: string;
  rowsMax: number;
  /** The most bytes of rows, as they are stored. */
  bytesMax: number;
  timeoutMs: number;
}

/** The rows of a query, as the server writes them. */
export interface QueryResult {
  columns: string[];
  rows: Cell[][];
  /** The limit that cut the rest off; null when this is all. */
  cut: 'rows' | 'bytes' | null;
  serverVersion: string;
}

/** Runs one reading query in a connection of its own. `stop` ends it, on the server too. */
export async function runQuery(query: Query, stop: AbortSignal): Promise<QueryResult> {
  stop.throwIfAborted();
  const client = await newClient(query.address, CONNECT_MS_MAX);
  // Ends any wait, for the login or for an answer.
  const hangUp = (): unknown => client.connection.stream.destroy();
  stop.addEventListener('abort', hangUp, { once: true });
  try {
    await client.connect();
    return await runOn(client, query, stop);
  } finally {
    stop.removeEventListener('abort', hangUp);
    await closeClient(client);
  }
}

async function newClient(address: string, connectMs: number): Promise<Client> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: connectMs,
    application_name: 'cognition',
    // Values stay text: numbers keep all their digits, and times their form.
    types: { getTypeParser: () => String },
  });
  // A broken connection rejects the query that waits for it.
  client.on('error', () => undefined);
  return client;
}

async function runOn(client: Client, query: Query, stop: AbortSignal): Promise<QueryResult> {
  const arrival = limitArrival(client);
  // If this process dies, the server ends the query within a second: from version 14 on, where its system lets it
  // check the connection.
  const look =
    "SELECT set_config(name, '1000', false) FROM pg_settings WHERE name = 'client_connection_check_interval'";
  await client.query(look).catch(() => undefined);
  const timeout = `SET LOCAL statement_timeout = ${query.timeoutMs}`;
  await client.query(`BEGIN READ ONLY; ${timeout}`);
  const facts = await client.query({
    text: "SELECT pg_backend_pid(), current_setting('server_version')",
    rowMode: 'array',
  });
  const [pid, serverVersion] = firstRow(facts);
  let cancelling: Promise<void> = Promise.resolve();
  const cancel = (): void => {
    cancelling = cancelOnServer(query.address, pid);
  };
  stop.addEventListener('abort', cancel, { once: true });
  try {
    stop.throwIfAborted();
    // The extended protocol takes one statement only, and a cursor only what reads.
    const declaration = { text: `${PREFIX}${query.sql}`, queryMode: 'extended' };
    await client.query(declaration);
    const result = await rowsOf(query, stop, (count) => fetchRows(client, arrival, count));
    return { ...result, serverVersion };
  } finally {
    stop.removeEventListener('abort', cancel);
    await cancelling;
  }
}

function firstRow(result: QueryArrayResult): [pid: string, serverVersion: string] {
  const [row = []] = result.rows;
  return [String(row[0]), String(row[1])];
}

type Fetch = (count: number) => Promise<{ columns: string[]; rows: Cell[][] }>;

async function rowsOf(query: Query, stop: AbortSignal, fetch: Fetch): Promise<Omit<QueryResult, 'serverVersion'>> {
  const rows: Cell[][] = [];
  let columns: string[] = [];
  let bytes = 0;
  let slice = 1;
  for (;;) {
    stop.throwIfAborted();
    const count = Math.min(slice, query.rowsMax + 1 - rows.length);
    const arrived = await fetch(count);
    columns = arrived.columns;
    for (const row of arrived.rows) {
      if (rows.length === query.rowsMax) return { columns, rows, cut: 'rows' };
      bytes += byteLength(lineOf(columns, row));
      if (bytes > query.bytesMax) return { columns, rows, cut: 'bytes' };
      rows.push(row);
    }
    if (arrived.rows.length < count) return { columns, rows, cut: null };
    slice = Math.min(SLICE_ROWS_MAX, Math.max(1, Math.floor((SLICE_BYTES * rows.length) / Math.max(bytes, 1))));
  }
}

/** Bytes received since the count was last reset. */
interface Arrival {
  bytes: number;
}

/** Ends the connection when an answer is too large: even an error's message can have a gigabyte. */
function limitArrival({ connection: { stream } }: Client): Arrival {
  const arrival = { bytes: 0 };
  stream.on('data', (piece: Buffer) => {
    arrival.bytes += piece.length;
    if (arrival.bytes > ARRIVING_BYTES_MAX) stream.destroy(new RangeError('too much arrives at once'));
  });
  return arrival;
}

async function fetchRows(client: Client, arrival: Arrival, count: number): ReturnType<Fetch> {
  arrival.bytes = 0;
  const result = await client.query<Cell[]>({ text: `FETCH FORWARD ${count} FROM ${CURSOR}`, rowMode: 'array' });
  return { columns: result.fields.map(({ name }) => name), rows: result.rows };
}

/** Cancels the query through a second connection, because the first one is busy. */
async function cancelOnServer(address: string, pid: string): Promise<void> {
  const second = await newClient(address, CANCEL_MS_MAX);
  const timer = setTimeout(() => second.connection.stream.destroy(), CANCEL_MS_MAX);
  await second
    .connect()
    .then(() => second.query(`SELECT pg_cancel_backend(${Number(pid)})`))
    // The statement timeout ends it then.
    .catch(() => undefined);
  clearTimeout(timer);
  await closeClient(second);
}

/** Closes a connection; the server rolls back its transaction. */
async function closeClient(client: Client): Promise<void> {
  const { stream } = client.connection;
  if (stream.destroyed) return;
  const timer = setTimeout(() => stream.destroy(), CANCEL_MS_MAX);
  // A broken connection is closed already.
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}
