import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { TreeId } from '../../../hub/protocol/node.js';
import { entriesAfter } from '../../../hub/sharing/fetch_entries.js';
import { openRemote, type Remote } from '../../../hub/sharing/remote_connection.js';
import { prepareRemote } from '../../../hub/sharing/remote_schema.js';
import { textArray } from '../../../hub/sharing/text_array.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';

const FEW = 20;
const PAGE = 1_000;
const PAGES = 100;

// The server has not counted its rows yet when a tree has grown: it plans as if that were small.
test.skipIf(POSTGRES_BIN === null)('a page of a large tree is sent and fetched without reading the rest', async () => {
  const server = await startServer();
  try {
    const all = FEW * FEW + PAGES * PAGE;
    const [tree, hub] = [TreeId.parse(randomUUID()), randomUUID()];
    const sentReads = await readsOf(server, async (remote) => {
      await prepareRemote(remote);
      await remote.query('SELECT cognition.greet($1, $2, $3, $4)', [hub, 'anna', 'laptop', '1']);
      for (let sent = 0; sent < FEW; sent++) await publish(remote, { tree, hub, count: FEW });
      for (let sent = 0; sent < PAGES; sent++) await publish(remote, { tree, hub, count: PAGE });
    });
    // One look for each, which finds nothing.
    expect(sentReads).toBeLessThan(PAGE);
    const fetchedReads = await readsOf(server, async (remote) => {
      let after = 0;
      for (let rows = await entriesAfter(remote, { tree, after }); rows.length > 0; ) {
        after = Number(rows.at(-1)?.n);
        rows = await entriesAfter(remote, { tree, after });
      }
      expect(after).toBe(all);
    });
    expect(fetchedReads).toBeLessThan(1.5 * all);
  } finally {
    await server.stop();
  }
});

async function publish(
  remote: Remote,
  { tree, hub, count }: { tree: TreeId; hub: string; count: number },
): Promise<void> {
  const ids = Array.from({ length: count }, () => `node ${randomUUID()}`);
  const bodies = ids.map((id) => `{"records":["${id.repeat(10)}"]}`);
  const values = [tree, null, hub, 0, null, '', textArray(ids), textArray(bodies)];
  await remote.query('SELECT * FROM cognition.publish($1, $2, $3, $4, $5, $6, $7, $8)', values);
}

/** How many entries the server reads for a connection: it says so when that has ended. */
async function readsOf(server: TestServer, use: (remote: Remote) => Promise<void>): Promise<number> {
  const client = new pg.Client({ connectionString: server.socket });
  await client.connect();
  const { signal } = new AbortController();
  const remote = await openRemote({ name: 'team', address: server.socket, signal });
  const before = await entriesRead(client);
  await use(remote).finally(() => remote.close());
  const open = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'cognition'";
  while ((await client.query(open)).rows.length > 0);
  const reads = (await entriesRead(client)) - before;
  await client.end();
  return reads;
}

async function entriesRead(client: pg.Client): Promise<number> {
  const read = `SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname LIKE 'entries%')
    + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname LIKE 'entries%') AS read`;
  const { rows } = await client.query<{ read: string | null }>(read);
  return Number(rows[0]?.read ?? 0);
}
