import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Client } from '../../hub/client/client.js';
import type { WatchEvent } from '../../hub/protocol/feed_events.js';
import { NodeId, type TreeId } from '../../hub/protocol/node.js';
import { sync, withHubs, withLiveHubs } from '../hub/sharing/shared_trees.js';
import type { TestHub } from '../support/hub.js';
import { startServer, type TestServer } from '../tools/postgres/server.js';
import { median, type Row } from './row.js';
import { leastFetchMs } from './store_floor.js';
import { addChain, newTree, TEXT } from './trees.js';

const NODES = 20_000;
const RATE_ROUNDS = 3;
const CHAINS = 50;
const ROUNDS = 5;
const ROUND_APPENDS = 300;
const SEEN = 100;
const STEP_MS = 100;
const remote = 'team';

/** Trees over a PostgreSQL, against what that does by itself with the same rows. */
export async function sharingRows({ isLarge }: { isLarge: boolean }): Promise<Row[]> {
  const server = await startServer();
  try {
    return [
      ...(await rateRows(server)),
      ...(await growthRows(server, isLarge ? 1_000_000 : 100_000)),
      await attachedRow(server),
      ...(await seenRows(server)),
      ...(isLarge ? [await crowdRow(server)] : []),
    ];
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

/** The rows of a tree copied into another table with the same indexes, and read. */
async function rawMs(server: TestServer, tree: TreeId) {
  const client = new pg.Client({ connectionString: server.socket, types: { getTypeParser: () => String } });
  client.on('error', () => undefined); // a query tells it
  await client.connect();
  const [, folder = ''] = /host=([^&]+)/.exec(server.socket) ?? [];
  const rows = `SELECT * FROM cognition.entries WHERE tree = '${tree}' ORDER BY n`;
  await client.query(`CREATE TABLE raw (LIKE cognition.entries INCLUDING ALL); COPY (${rows}) TO '${folder}/raw'`);
  const copyMs = await tookMs(() => client.query(`COPY raw FROM '${folder}/raw'`));
  const select = 'SELECT n, id, hub, body FROM raw ORDER BY n';
  const selectMs = await tookMs(() => client.query(select));
  const { rows: read } = await client.query<{ body: string }>(select);
  const leastMs = await leastFetchMs(read.map(({ body }) => body));
  const { rows: sizes } = await client.query<{ bytes: string }>("SELECT pg_total_relation_size('raw') AS bytes");
  await client.query('DROP TABLE raw');
  await client.end();
  return { copyMs, selectMs, leastMs, bytes: Number(sizes[0]?.bytes) };
}

/** Appending to a tree and taking that over takes as long in a large tree as in a small one. */
async function growthRows(server: TestServer, nodes: number): Promise<Row[]> {
  const rows: Row[] = [];
  await withHubs([server.socket, server.socket], async (anna, ben) => {
    const small = await shareNew(anna.client, ben, 1_000);
    const large = await shareNew(anna.client, ben, nodes);
    const measured = {
      publish: { small: [] as number[], large: [] as number[] },
      fetch: { small: [] as number[], large: [] as number[] },
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (const [size, tree] of [
        ['small', small],
        ['large', large],
      ] as const) {
        await addChain(anna.client, tree, ROUND_APPENDS);
        measured.publish[size].push(
          await tookMs(() => anna.client.call('sharing.sync', { remote, tree, fetches: false })),
        );
        measured.fetch[size].push(await tookMs(() => ben.client.call('sharing.sync', { remote, tree, sends: false })));
      }
    }
    for (const [what, ms] of Object.entries(measured)) {
      const [one, other] = [median(ms.large), median(ms.small)];
      const from = `${one.toFixed(0)} ms / ${other.toFixed(0)} ms for ${ROUND_APPENDS}`;
      rows.push({
        what: `${what} in ${nodes} nodes / in 1000`,
        value: one / other,
        unit: '×',
        budget: { most: 1.5 },
        from,
      });
    }
  });
  return rows;
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

/** From an append to the client that watches at another hub: at the pace of steps, and as fast as they can follow each other. */
async function seenRows(server: TestServer): Promise<Row[]> {
  const rows: Row[] = [];
  await withLiveHubs([server.socket, server.socket], async (anna, ben) => {
    const tree = await shareNew(anna.client, ben, 100);
    const add = async (what: string, budget: Row['budget'], pauseMs: number): Promise<void> => {
      const ms = await seenAfter(anna, [ben.client], { tree, count: SEEN, pauseMs });
      const at99 = [...ms].sort((one, other) => one - other)[Math.floor(ms.length * 0.99)] ?? Number.NaN;
      rows.push({ what, value: median(ms), unit: 'ms', budget, from: `p99 ${at99.toFixed(0)} ms` });
    };
    await add("append → another hub's watching client, p50, ten a second", { most: 10 }, STEP_MS);
    await add('the same, one right after the other', null, 0);
  });
  return rows;
}

/** Ten hubs, at each a hundred clients that watch. */
async function crowdRow(server: TestServer): Promise<Row> {
  const ms: number[] = [];
  await withLiveHubs(
    Array.from({ length: 10 }, () => server.socket),
    async (...hubs) => {
      const [first] = hubs;
      if (first === undefined) throw new Error('there are ten');
      const tree = await newTree(first.client);
      await first.client.call('sharing.share', { remote, tree });
      const clients: Client[] = [];
      for (const hub of hubs) {
        if (hub !== first) await sync(hub, tree);
        for (let number = 0; number < 100; number++) clients.push(await hub.connect());
      }
      for (const hub of hubs) ms.push(...(await seenAfter(hub, clients, { tree, count: 5 })));
    },
  );
  return {
    what: '10 hubs × 100 clients: append → all clients, p50',
    value: median(ms),
    unit: 'ms',
    budget: null,
    from: `most ${Math.max(...ms).toFixed(0)} ms`,
  };
}

/** How long it takes from an append until all these clients have been told. */
async function seenAfter(
  from: TestHub,
  watchers: readonly Client[],
  { tree, count, pauseMs = 0 }: { tree: TreeId; count: number; pauseMs?: number },
): Promise<number[]> {
  const ending = new AbortController();
  const waiting = new Map<string, () => void>();
  for (const [index, client] of watchers.entries()) {
    await new Promise<void>((resolve) => {
      const onEvent = (event: WatchEvent): void => {
        if (event.kind === 'watch_live') resolve();
        if (event.kind === 'node_created') waiting.get(`${index} ${event.node.id}`)?.();
      };
      client.watch({ tree, signal: ending.signal, onEvent }).catch(() => undefined); // it ends with the measurement
    });
  }
  const ms: number[] = [];
  let parent = NodeId.parse(tree);
  for (let number = 0; number < count; number++) {
    const id = NodeId.parse(crypto.randomUUID());
    const seen = watchers.map((_, index) => new Promise<void>((resolve) => waiting.set(`${index} ${id}`, resolve)));
    const startedAt = performance.now();
    const blocks = [{ type: 'text' as const, text: TEXT }];
    await Promise.all([...seen, from.client.call('loom.node_create_text', { id, tree, parent, role: 'user', blocks })]);
    ms.push(performance.now() - startedAt);
    parent = id;
    await pause(pauseMs);
  }
  ending.abort();
  return ms;
}

/** A tree of so many nodes that one hub has shared and another fetched. */
async function shareNew(client: Client, other: TestHub, nodes: number): Promise<TreeId> {
  const tree = await filledTree(client, nodes);
  await client.call('sharing.share', { remote, tree });
  await sync(other, tree);
  return tree;
}

async function filledTree(client: Client, nodes: number): Promise<TreeId> {
  const tree = await newTree(client);
  await Promise.all(Array.from({ length: CHAINS }, () => addChain(client, tree, nodes / CHAINS)));
  return tree;
}

async function tookMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
