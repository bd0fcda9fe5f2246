import pg from 'pg';
import { expect, test } from 'vitest';
import { addChain } from '../../bench/trees.js';
import { POSTGRES_BIN, startServer } from '../../tools/postgres/server.js';
import { newTree, remote, sync, withHubs } from './shared_trees.js';

const NODES = 6_000;
const MORE = 300;

// The server has not counted its rows yet when a tree has grown: it plans as if that were small.
test.skipIf(POSTGRES_BIN === null)(
  'what is new in a large tree is sent and fetched without reading the rest',
  async () => {
    const server = await startServer();
    const client = new pg.Client({ connectionString: server.socket });
    try {
      await client.connect();
      await withHubs([server.socket, server.socket], async (anna, ben) => {
        await anna.client.call('sharing.remote_init', { remote });
        const tree = await newTree(anna);
        await Promise.all(Array.from({ length: 30 }, () => addChain(anna.client, tree, NODES / 30)));
        await anna.client.call('sharing.share', { remote, tree });
        const before = await entriesRead(client);
        await sync(ben, tree);
        const fetched = await entriesRead(client);
        expect(fetched - before).toBeLessThan(1.5 * NODES);
        await addChain(anna.client, tree, MORE);
        expect((await sync(anna, tree)).trees).toMatchObject([{ sent: MORE }]);
        expect((await sync(ben, tree)).trees).toMatchObject([{ received: MORE }]);
        expect((await entriesRead(client)) - fetched).toBeLessThan(3 * MORE);
      });
    } finally {
      await client.end();
      await server.stop();
    }
  },
);

/** How many entries the connections of hubs have read, all of which have ended: each then says so. */
async function entriesRead(client: pg.Client): Promise<number> {
  const open = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'cognition'";
  while ((await client.query(open)).rows.length > 0);
  const read =
    "SELECT sum(idx_tup_read) + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname LIKE 'entries%') AS read " +
    "FROM pg_stat_user_indexes WHERE relname LIKE 'entries%'";
  const { rows } = await client.query<{ read: string }>(read);
  return Number(rows[0]?.read);
}
