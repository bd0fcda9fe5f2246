import { createHash } from 'node:crypto';
import * as z from 'zod';
import { HubError } from '../../hub/base/error.js';
import { shortened } from '../../hub/base/head_and_tail.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Plugin, Resolved, Resolving } from '../../hub/base/plugin.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { type Handle, NodeId } from '../../hub/protocol/node.js';
import { storeOutcome } from '../base/outcome.js';
import type { ToolParts } from '../base/parts.js';
import { failureOf } from './postgres_errors.js';
import { type Found, type Query, runQuery } from './query_session.js';
import { createTurns } from './queue.js';
import { whatChanged } from './row_changes.js';
import { lineOf } from './row_lines.js';
import { renderTable } from './row_table.js';

const VERSION = '1.0.0';
/** Limits of a second look, which nobody states. */
const FRESH = { rowsMax: 1_000, bytesMax: 16_777_216, timeoutMs: 30_000 };

/** More would hold too many rows in memory at the same time. */
const QUERIES_AT_ONCE = 4;

type Params = ParsedOf<'postgres.query'>;

/** What a handle says of its query, besides what it found. */
const Asked = z.object({
  ...{ connection: z.string(), sql: z.string(), rows: z.int().nonnegative(), columns: z.array(z.string()) },
  cut: z.string().nullable(),
});

/** Runs reading queries on the databases that the configuration names. */
export function createPostgres(parts: ToolParts): Plugin {
  const inTurn = createTurns(QUERIES_AT_ONCE);

  async function find(connection: string, query: Omit<Query, 'address'>, signal: AbortSignal): Promise<Found> {
    const asked: Query = { ...query, address: addressOf(parts, connection) };
    if (asked.sql.includes('\0')) throw new HubError('invalid_params', 'the query has a NUL character');
    const late = AbortSignal.timeout(query.timeoutMs);
    try {
      return await runQuery(asked, AbortSignal.any([signal, late]));
    } catch (error) {
      throw failureOf(error, { connection, query: asked, isCancelled: signal.aborted, isLate: late.aborted });
    }
  }

  async function query(params: Params, signal: AbortSignal): Promise<ToolAnswer> {
    refuseWithoutNetwork(params);
    const startedAtMs = parts.clock();
    const id = params.id ?? NodeId.parse(parts.newId());
    const { connection, sql } = params;
    const found = await find(
      connection,
      {
        ...{ sql, rowsMax: params.rows_max, timeoutMs: params.timeout_ms },
        bytesMax: Math.min(params.bytes_max, parts.config.outputBytesMax()),
      },
      signal,
    );
    const lines = found.rows.map((row) => Buffer.from(lineOf(found.columns, row)));
    const totalBytes = lines.reduce((sum, { length }) => sum + length, 0);
    return storeOutcome(
      parts.hub,
      { id, place: params.place, append: params.append, call_id: params.call_id },
      {
        tool: 'postgres',
        input: { connection, query: sql },
        handle: handleOf(params, found),
        output: totalBytes === 0 ? null : { pieces: lines, totalBytes },
        blocks: [{ type: 'text', text: renderTable(found, `cognition output ${id.slice(0, 8)}`) }],
        ...{ exit_code: null, signal: null, duration_ms: Math.max(0, parts.clock() - startedAtMs), cwd: null },
      },
    );
  }

  async function resolve(wanted: Resolving, signal: AbortSignal): Promise<Resolved> {
    const asked = Asked.safeParse(wanted.handle.metadata);
    if (!asked.success) {
      throw new HubError('resolve_failed', `the handle ${wanted.handle.identifier} names no query`);
    }
    // All that was found then is stored: where nothing is, there were no rows.
    if (!wanted.fresh) return shown([], wanted.bytes_max, null);
    const { connection, sql, rows, cut } = asked.data;
    // Of a result that was cut then, as many rows are compared as there were.
    const rowsMax = Math.max(cut === null ? FRESH.rowsMax : 1, rows);
    const found = await find(connection, { ...FRESH, sql, rowsMax }, signal);
    const lines = found.rows.map((row) => lineOf(found.columns, row));
    const changed = await whatChanged(parts.hub, { ...asked.data, output: wanted.output }, { ...found, lines });
    return shown(lines, wanted.bytes_max, changed);
  }

  return {
    name: 'postgres',
    version: VERSION,
    methods: { 'postgres.query': (params, { signal }) => inTurn(signal, () => query(params, signal)) },
    resolve: (wanted, { signal }) => inTurn(signal, () => resolve(wanted, signal)),
  };
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

// A server reaches further than files and processes of this machine, even one on a socket.
function refuseWithoutNetwork({ policy, connection }: Params): void {
  if (policy.kind === 'open' || policy.network) return;
  throw new HubError('unauthorised', `the database ${connection} is on the network, which this call may not use`, {
    hint: [
      'allow the network for it, or run the query yourself: ',
      cliCommand('attach', '@', `postgres:${connection}:<query>`),
    ],
  });
}

function handleOf({ connection, sql }: Params, found: Found): Handle {
  const { rows, cut, columns, serverVersion } = found;
  const digest = createHash('sha256').update(sql).digest('hex').slice(0, 16);
  return {
    ...{ source: 'postgres', source_version: VERSION, identifier: `${connection}/${digest}` },
    metadata: { connection, sql, rows: rows.length, cut, columns, server_version: serverVersion },
  };
}

function shown(lines: readonly string[], bytesMax: number, changed: string | null): Resolved {
  const whole = lines.join('');
  const { text, leftOutBytes } = shortened(whole, bytesMax);
  return { text, total_bytes: Buffer.byteLength(whole), left_out_bytes: leftOutBytes, changed };
}
