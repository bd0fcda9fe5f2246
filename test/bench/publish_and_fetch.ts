import pg from 'pg';
import type { TreeId } from '../../hub/protocol/node.js';
import { sync, withHubs, withLiveHubs } from '../hub/sharing/shared_trees.js';
import { startServer, type TestServer } from '../tools/postgres/server.js';
import { filledTree, remote, shareNew, tookMs } from './filled_trees.js';
import { median, type Row } from './row.js';
import { seenRows } from './seen_nodes.js';
import { leastFetchMs } from './store_floor.js';
import { addChain, newTree } from './trees.js';

const NODES = 20_000;
const RATE_ROUNDS = 5;
const ROUNDS = 5;
const ROUND_APPENDS = 300;

/** Trees over a PostgreSQL, against what that does by itself with the same rows. */
export async function* sharingRows(): AsyncGenerator<Row> {
  const server = await startServer();
  try {
    yield* await rateRows(server);
    yield await attachedRow(server);
    yield* await seenRows(server);
  } finally {
    await server.stop();
  }
}

async function rateRows(server: TestServer): Promise<Row[]> {
  const publish: number[] = [];
  const fetch: number[] = [];
  const raws: Awaited<ReturnType<typeof rawMs>>[] = [];
  await withHubs([server.socket, server.socket], async (anna, ben) => {
    await anna.client.call('sharing.remote_init', { remote });
    // What is compiled at the first time is not measured.
    await shareNew(anna.client, ben, 2_000);
    for (let round = 0; round < RATE_ROUNDS; round++) {
      const tree = await filledTree(anna.client, NODES);
      publish.push(await tookMs(() => anna.client.call('sharing.share', { remote, tree })));
      fetch.push(await tookMs(() => sync(ben, tree)));
      raws.push(await rawMs(server, tree));
    }
  });
  const raw = (what: keyof (typeof raws)[number]): number => median(raws.map((one) => one[what]));
  const bytes = raw('bytes') / NODES;
  return [
    rate('publish / raw COPY of the same rows', { ownMs: median(publish), rawMs: raw('copyMs'), least: 0.4 }),
    rate('fetch / raw SELECT of the same rows', { ownMs: median(fetch), rawMs: raw('selectMs'), least: 0.4 }),
    rate('fetch / only proving and storing them in SQLite', {
      ownMs: median(fetch),
      rawMs: raw('leastMs'),
      least: null,
    }),
    rate('only proving and storing / raw SELECT', { ownMs: raw('leastMs'), rawMs: raw('selectMs'), least: null }),
    {
      what: 'a node of 100 characters at the remote',
      value: bytes / 1_000,
      unit: 'KB',
      budget: null,
      from: `${bytes.toFixed(0)} bytes with indexes`,
    },
  ];
}

function rate(what: string, { ownMs, rawMs, least }: { ownMs: number; rawMs: number; least: number | null }): Row {
  const perSecond = (ms: number): string => `${((NODES / ms) * 1_000).toFixed(0)}/s`;
  return {
    what,
    value: rawMs / ownMs,
    unit: '×',
    budget: least === null ? null : { least },
    from: `${perSecond(ownMs)} / ${perSecond(rawMs)}`,
  };
}

/**
 * The rows of a tree copied into another table with the same keys, and read: from a file of the server, so that no bytes cross and nothing is
 * encoded, and by the library that a hub reads with, in the order of the keys.
 */
async function rawMs(server: TestServer, tree: TreeId) {
  const client = new pg.Client({ connectionString: server.socket, types: { getTypeParser: () => String } });
  client.on('error', () => undefined); // a query tells it
  await client.connect();
  const [, folder = ''] = /host=([^&]+)/.exec(server.socket) ?? [];
  const rows = `SELECT * FROM cognition.entries WHERE tree = '${tree}' ORDER BY n`;
  await client.query(`CREATE TABLE raw (LIKE cognition.entries INCLUDING ALL); COPY (${rows}) TO '${folder}/raw'`);
  const copyMs = await tookMs(() => client.query(`COPY raw FROM '${folder}/raw'`));
  const select = `SELECT n, id, hub, body FROM raw WHERE tree = '${tree}' ORDER BY n`;
  // What is not counted yet would be sorted on the disk, which a hub does not have done either.
  await client.query('ANALYZE raw; SET enable_sort = off; SET enable_bitmapscan = off');
  const selectMs = await tookMs(() => client.query(select));
  const { rows: read } = await client.query<{ body: string }>(select);
  const leastMs = await leastFetchMs(read.map(({ body }) => body));
  const { rows: sizes } = await client.query<{ bytes: string }>("SELECT pg_total_relation_size('raw') AS bytes");
  await client.query('DROP TABLE raw');
  await client.end();
  return { copyMs, selectMs, leastMs, bytes: Number(sizes[0]?.bytes) };
}

/** Appends to a shared tree, which are sent meanwhile, against appends to one that is not shared. */
async function attachedRow(server: TestServer): Promise<Row> {
  const ms = { shared: [] as number[], own: [] as number[] };
  await withLiveHubs([server.socket], async ({ client }) => {
    const shared = await newTree(client);
    await client.call('sharing.share', { remote, tree: shared });
    const own = await newTree(client);
    for (const tree of [own, shared]) await addChain(client, tree, 3 * ROUND_APPENDS);
    for (let round = 0; round < 2 * ROUNDS; round++) {
      ms.own.push(await tookMs(() => addChain(client, own, ROUND_APPENDS)));
      ms.shared.push(await tookMs(() => addChain(client, shared, ROUND_APPENDS)));
    }
  });
  const [own, shared] = [median(ms.own), median(ms.shared)];
  const perSecond = (one: number): string => `${((ROUND_APPENDS / one) * 1_000).toFixed(0)}/s`;
  const from = `${perSecond(shared)} / ${perSecond(own)}`;
  return {
    what: 'appends with a remote attached / without',
    value: own / shared,
    unit: '×',
    budget: { least: 0.9 },
    from,
  };
}
