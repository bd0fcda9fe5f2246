import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { HubError } from '../../../hub/base/error.js';
import { homePaths } from '../../../hub/config/config.js';
import type { ParamsOf } from '../../../hub/protocol/methods/method_table.js';
import { NodeId } from '../../../hub/protocol/node.js';
import { type TestHub, withHub } from '../../support/hub.js';
import type { TestServer } from './server.js';

const open = { kind: 'open' } as const;

type DatabaseHub = TestHub & { root(tree: string): ParamsOf<'loom.node_get'>['node'] };

/** Runs a test with a hub that knows the database as `shop`. */
export function withDatabase(server: TestServer, use: (hub: DatabaseHub) => Promise<void>): Promise<void> {
  return withHub(async (hub) => {
    configure(hub, { shop: server.socket });
    await use({ ...hub, root: (tree) => NodeId.parse(tree) });
  });
}

export function configure(hub: TestHub, addresses: Record<string, string>): void {
  const lines = Object.entries(addresses).map(([name, address]) => `postgres.${name} = ${address}\n`);
  writeFileSync(homePaths(hub.home).config, lines.join(''), { mode: 0o600 });
}

type QueryParams = Partial<ParamsOf<'postgres.query'>> & { sql: string };

export function query(hub: TestHub, params: QueryParams, signal?: AbortSignal) {
  return hub.client.call('postgres.query', { connection: 'shop', policy: open, ...params }, { signal });
}

export async function refusalOf(call: Promise<unknown>): Promise<HubError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof HubError) return error;
  throw new Error('it was not refused', { cause: error });
}

type Answer = Awaited<ReturnType<typeof query>>;

export function textOf({ blocks: [block] }: Answer): string {
  return block?.type === 'text' ? block.text : '';
}

export async function stored(hub: TestHub, { external: { output } }: Answer): Promise<string> {
  if (output === null) return '';
  const { data } = await hub.client.call('loom.blob_read', { sha256: output.sha256 });
  return Buffer.from(data, 'base64').toString();
}

export async function asOwner(server: TestServer, sql: string): Promise<string[][]> {
  const client = new pg.Client({ connectionString: server.socket, types: { getTypeParser: () => String } });
  await client.connect();
  const result = await client.query({ text: sql, rowMode: 'array' });
  await client.end();
  return [result].flat().at(-1)?.rows ?? [];
}

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
