import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../hub/client/client.js';
import type { WatchEvent } from '../../hub/protocol/feed_events.js';
import { NodeId, type TreeId } from '../../hub/protocol/node.js';
import { sync, withLiveHubs } from '../hub/sharing/shared_trees.js';
import type { TestHub } from '../support/hub.js';
import { startServer, type TestServer } from '../tools/postgres/server.js';
import { remote, shareNew } from './filled_trees.js';
import { median, type Row } from './row.js';
import { newTree, TEXT } from './trees.js';

const SEEN = 100;
const STEP_MS = 100;
const HUBS = 10;
const CLIENTS = 100;
const CROWD_SEEN = 5;

/** Ten hubs that share a tree, at each a hundred clients that watch it. */
export async function sharingCrowdRows({ isLarge }: { isLarge: boolean }): Promise<Row[]> {
  if (!isLarge) return [];
  const server = await startServer();
  try {
    return await crowdRows(server);
  } finally {
    await server.stop();
  }
}

/** From an append to the client that watches at another hub: at the pace of steps, and as fast as they can follow each other. */
export async function seenRows(server: TestServer): Promise<Row[]> {
  const rows: Row[] = [];
  await withLiveHubs([server.socket, server.socket], async (anna, ben) => {
    const tree = await shareNew(anna.client, ben, 100);
    const add = async (what: string, budget: Row['budget'], pauseMs: number): Promise<void> => {
      const { last: ms } = await seenAfter(anna, [ben.client], { tree, count: SEEN, pauseMs });
      const at99 = [...ms].sort((one, other) => one - other)[Math.floor(ms.length * 0.99)] ?? Number.NaN;
      rows.push({ what, value: median(ms), unit: 'ms', budget, from: `p99 ${at99.toFixed(0)} ms` });
    };
    await add("append → another hub's watching client, p50, ten a second", { most: 10 }, STEP_MS);
    await add('the same, one right after the other', null, 0);
  });
  return rows;
}

async function crowdRows(server: TestServer): Promise<Row[]> {
  const each: number[] = [];
  const last: number[] = [];
  let ownMs = 0;
  const addresses = Array.from({ length: HUBS }, () => server.socket);
  await withLiveHubs(addresses, async (...hubs) => {
    const [first] = hubs;
    if (first === undefined) throw new Error('there are ten');
    await first.client.call('sharing.remote_init', { remote });
    const tree = await newTree(first.client);
    await first.client.call('sharing.share', { remote, tree });
    const clients: Client[] = [];
    for (const hub of hubs) {
      if (hub !== first) await sync(hub, tree);
      for (let number = 0; number < CLIENTS; number++) clients.push(await hub.connect());
    }
    const before = process.cpuUsage();
    for (const [index, hub] of hubs.entries()) {
      // Those of the hub itself are told without a remote.
      const others = clients.filter((_, number) => Math.floor(number / CLIENTS) !== index);
      const seen = await seenAfter(hub, others, { tree, count: CROWD_SEEN, pauseMs: STEP_MS });
      each.push(...seen.each);
      last.push(...seen.last);
    }
    const { user, system } = process.cpuUsage(before);
    ownMs = (user + system) / 1_000 / last.length;
  });
  const crowd = `${HUBS} hubs × ${CLIENTS} clients`;
  const from = `most ${Math.max(...each).toFixed(0)} ms; ${ownMs.toFixed(0)} ms of processor time of the process that is all these clients`;
  return [
    {
      what: `${crowd}: append → another hub's client, p50`,
      value: median(each),
      unit: 'ms',
      budget: { most: 10 },
      from,
    },
    { what: `${crowd}: append → the last of them, p50`, value: median(last), unit: 'ms', budget: null, from: '' },
  ];
}

/** How long it takes from an append until each of these clients has been told, and until all have. */
async function seenAfter(
  from: TestHub,
  watchers: readonly Client[],
  { tree, count, pauseMs = 0 }: { tree: TreeId; count: number; pauseMs?: number },
): Promise<{ each: number[]; last: number[] }> {
  const ending = new AbortController();
  // Each watch listens for the one end of all.
  setMaxListeners(0, ending.signal);
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
  const ms = { each: [] as number[], last: [] as number[] };
  let parent = NodeId.parse(tree);
  for (let number = 0; number < count; number++) {
    const id = NodeId.parse(crypto.randomUUID());
    const startedAt = performance.now();
    const told = (): number => ms.each.push(performance.now() - startedAt);
    const seen = watchers.map((_, index) => {
      const isSeen = new Promise<void>((resolve) => waiting.set(`${index} ${id}`, resolve));
      return isSeen.then(told);
    });
    const blocks = [{ type: 'text' as const, text: TEXT }];
    await Promise.all([...seen, from.client.call('loom.node_create_text', { id, tree, parent, role: 'user', blocks })]);
    ms.last.push(performance.now() - startedAt);
    waiting.clear();
    parent = id;
    await pause(pauseMs);
  }
  ending.abort();
  return ms;
}
