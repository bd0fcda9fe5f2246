import { readFileSync, writeFileSync } from 'node:fs';
import type { Client } from '../../hub/client/client.js';
import type { TreeId } from '../../hub/protocol/node.js';
import { sync, withHubs } from '../hub/sharing/shared_trees.js';
import type { TestHub } from '../support/hub.js';
import { startServer, type TestServer } from '../tools/postgres/server.js';
import { importedTree, remote, tookMs } from './filled_trees.js';
import { median, type Row } from './row.js';
import { addChain } from './trees.js';

const ROUNDS = 5;
const ROUND_APPENDS = 300;
const SMALL = 1_000;
/** Of a smaller one the time to connect would be most of it. */
const MIDDLE = 20_000;

/** What is shared for the first time, and what is added to it, takes as long for each node in a large tree as in a small one. */
export async function* sharingGrowthRows({ isLarge }: { isLarge: boolean }): AsyncGenerator<Row> {
  const nodes = isLarge ? 1_000_000 : 100_000;
  const server = await startServer();
  try {
    yield* await measuredRows(server, nodes);
  } finally {
    await server.stop();
  }
}

async function measuredRows(server: TestServer, nodes: number): Promise<Row[]> {
  const rows: Row[] = [];
  await withHubs([server.socket, server.socket], async (anna, ben) => {
    await anna.client.call('sharing.remote_init', { remote });
    const small = await shareWhole(anna, ben, SMALL);
    const middle = await shareWhole(anna, ben, MIDDLE);
    const large = await shareWhole(anna, ben, nodes);
    for (const what of ['publish', 'fetch'] as const) {
      const [one, other] = [large[what], middle[what]];
      rows.push({
        what: `${what} of ${nodes} nodes / of ${MIDDLE}, for each`,
        value: one.ms / nodes / (other.ms / MIDDLE),
        unit: '×',
        budget: { most: 1.5 },
        from: `${perSecond(nodes, one.ms)} / ${perSecond(MIDDLE, other.ms)}`,
      });
      rows.push({
        what: `the most memory of the hub meanwhile`,
        value: one.megabytes,
        unit: 'MB',
        budget: null,
        from: `${other.megabytes.toFixed(0)} MB for ${MIDDLE}`,
      });
    }
    rows.push(...(await addedRows([anna.client, ben.client], { small: small.tree, large: large.tree, nodes })));
  });
  return rows;
}

const perSecond = (nodes: number, ms: number): string => `${((nodes / ms) * 1_000).toFixed(0)}/s`;

interface Measured {
  ms: number;
  megabytes: number;
}

/** A tree of so many nodes that one hub has shared and another fetched. */
async function shareWhole(
  anna: TestHub,
  ben: TestHub,
  nodes: number,
): Promise<{ tree: TreeId; publish: Measured; fetch: Measured }> {
  const tree = await importedTree(anna.client, nodes);
  const publish = await measured(anna, () => anna.client.call('sharing.share', { remote, tree }));
  const fetch = await measured(ben, () => sync(ben, tree));
  return { tree, publish, fetch };
}

async function measured(hub: TestHub, work: () => Promise<unknown>): Promise<Measured> {
  const process = `/proc/${await hub.pid()}`;
  writeFileSync(`${process}/clear_refs`, '5'); // the most memory is counted from here
  const ms = await tookMs(work);
  const [, kilobytes = ''] = /VmHWM:\s+(\d+)/.exec(readFileSync(`${process}/status`, 'utf8')) ?? [];
  return { ms, megabytes: Number(kilobytes) / 1_000 };
}

async function addedRows(
  [anna, ben]: [anna: Client, ben: Client],
  { small, large, nodes }: { small: TreeId; large: TreeId; nodes: number },
): Promise<Row[]> {
  const ms = {
    publish: { small: [] as number[], large: [] as number[] },
    fetch: { small: [] as number[], large: [] as number[] },
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [size, tree] of Object.entries({ small, large }) as ['small' | 'large', TreeId][]) {
      await addChain(anna, tree, ROUND_APPENDS);
      ms.publish[size].push(await tookMs(() => anna.call('sharing.sync', { remote, tree, fetches: false })));
      ms.fetch[size].push(await tookMs(() => ben.call('sharing.sync', { remote, tree, sends: false })));
    }
  }
  return Object.entries(ms).map(([what, took]) => {
    const [one, other] = [median(took.large), median(took.small)];
    const from = `${one.toFixed(0)} ms / ${other.toFixed(0)} ms for ${ROUND_APPENDS}`;
    return {
      what: `${what} in ${nodes} nodes / in ${SMALL}`,
      value: one / other,
      unit: '×',
      budget: { most: 1.5 },
      from,
    };
  });
}
