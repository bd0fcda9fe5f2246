import { createHash } from 'node:crypto';
import * as z from 'zod';
import { HubError } from '../../hub/base/error.js';
import { shortened } from '../../hub/base/head_and_tail.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Plugin, Resolved, Resolving } from '../../hub/base/plugin.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { Handle } from '../../hub/protocol/node.js';
import { beginCall, storeOutcome } from '../base/outcome.js';
import type { ToolParts } from '../base/tool_parts.js';
import { failureOf } from './postgres_errors.js';
import { createQueryQueue } from './query_queue.js';
import { type Query, type QueryResult, runQuery } from './query_session.js';
import { describeRowChanges } from './row_changes.js';
import { lineOf } from './row_lines.js';
import { renderTable } from './row_table.js';

const VERSION = '1.0.0';
/** Limits of a fresh look, which has no parameters for them. */
const FRESH = { rowsMax: 1_000, bytesMax: 16_777_216, timeoutMs: 30_000 };

/** Each query holds its rows in memory. */
const QUERIES_AT_ONCE = 4;

type Params = ParsedOf<'postgres.query'>;

/** The metadata of a handle. */
const QueryMetadata = z.object({
  ...{ connection: z.string(), sql: z.string(), rows: z.int().nonnegative(), columns: z.array(z.string()) },
  cut: z.string().nullable(),
});

/** Runs reading queries on the databases that the configuration names. */
export function createPostgres(parts: ToolParts): Plugin {
  const runQueued = createQueryQueue(QUERIES_AT_ONCE);

  const run = (connection: string, query: Omit<Query, 'address'>, signal: AbortSignal): Promise<QueryResult> =>
    runInTime(connection, { ...query, address: addressOf(parts, connection) }, signal);

  async function query(params: Params, signal: AbortSignal): Promise<ToolAnswer> {
    refuseWithoutNetwork(params);
    const startedAtMs = parts.clock();
    const call = await beginCall(parts, params);
    const { connection, sql } = params;
    const result = await run(
      connection,
      {
        ...{ sql, rowsMax: params.rows_max, timeoutMs: params.timeout_ms },
        bytesMax: Math.min(params.bytes_max, parts.config.outputBytesMax()),
      },
      signal,
    );
    const lines = result.rows.map((row) => Buffer.from(lineOf(result.columns, row)));
    const totalBytes = lines.reduce((sum, { length }) => sum + length, 0);
    return storeOutcome(parts.hub, call, {
      tool: 'postgres',
      input: { connection, query: sql },
      handle: handleOf(params, result),
      output: totalBytes === 0 ? null : { pieces: lines, totalBytes },
      blocks: [{ type: 'text', text: renderTable(result, `cognition output ${call.id.slice(0, 8)}`) }],
      ...{ exit_code: null, signal: null, duration_ms: Math.max(0, parts.clock() - startedAtMs), cwd: null },
    });
  }

  async function resolve(request: Resolving, signal: AbortSignal): Promise<Resolved> {
    const metadata = QueryMetadata.safeParse(request.handle.metadata);
    if (!metadata.success) {
      throw new HubError('resolve_failed', `the handle ${request.handle.identifier} names no query`);
    }
    // All rows are stored: without an output there were none.
    if (!request.fresh) return resolvedText([], request.bytes_max, null);
    const { connection, sql, rows, cut } = metadata.data;
    // Of a result that was cut, as many rows are compared as were stored.
    const rowsMax = Math.max(cut === null ? FRESH.rowsMax : 1, rows);
    const result = await run(connection, { ...FRESH, sql, rowsMax }, signal);
    const lines = result.rows.map((row) => lineOf(result.columns, row));
    const changed = await describeRowChanges(
      parts.hub,
      { ...metadata.data, output: request.output },
      { ...result, lines },
    );
    return resolvedText(lines, request.bytes_max, changed);
  }

  return {
    name: 'postgres',
    version: VERSION,
    methods: { 'postgres.query': (params, { signal }) => runQueued(signal, () => query(params, signal)) },
    resolve: (request, { signal }) => runQueued(signal, () => resolve(request, signal)),
  };
}

async function runInTime(connection: string, query: Query, signal: AbortSignal): Promise<QueryResult> {
  if (query.sql.includes('\0')) throw new HubError('invalid_params', 'the query has a NUL character');
  const late = AbortSignal.timeout(query.timeoutMs);
  try {
    return await runQuery(query, AbortSignal.any([signal, late]));
  } catch (error) {
    throw failureOf(error, { connection, query, isCancelled: signal.aborted, isLate: late.aborted });
  }
}

function addressOf({ config }: ToolParts, connection: string): string {
  const address = config.postgres(connection);
  if (address !== null) return address;
  const names = config.postgresNames();
  throw new HubError('not_found', `no database is named ${JSON.stringify(connection)}`, {
    hint:
      names.length === 0
        ? ['name one: ', cliCommand('config set', `postgres.${connection}`, '<address>')]
        : `known ones: ${names.join(', ')}`,
  });
}

// A database counts as network, even one on a local socket.
function refuseWithoutNetwork({ policy, connection }: Params): void {
  if (policy.kind === 'open' || policy.network) return;
  throw new HubError('unauthorised', `the database ${connection} is on the network, which this call may not use`, {
    hint: [
      'allow the network for it, or run the query yourself: ',
      cliCommand('attach', '@', `postgres:${connection}:<query>`),
    ],
  });
}

function handleOf({ connection, sql }: Params, result: QueryResult): Handle {
  const { rows, cut, columns, serverVersion } = result;
  const digest = createHash('sha256').update(sql).digest('hex').slice(0, 16);
  return {
    ...{ source: 'postgres', source_version: VERSION, identifier: `${connection}/${digest}` },
    metadata: { connection, sql, rows: rows.length, cut, columns, server_version: serverVersion },
  };
}

function resolvedText(lines: readonly string[], bytesMax: number, changed: string | null): Resolved {
  const whole = lines.join('');
  const { text, leftOutBytes } = shortened(whole, bytesMax);
  return { text, total_bytes: Buffer.byteLength(whole), left_out_bytes: leftOutBytes, changed };
}
