import { expect, test } from 'vitest';
import { type LineParts, openBadLine } from '../hub/sharing/bad_line.js';
import { numbers, repeatedTexts, runHistory, type Site, settle, type Told } from '../hub/sharing/convergence.js';
import { newTree, remote, sync, withHubs, withLiveHubs } from '../hub/sharing/shared_trees.js';
import { asOwner } from '../tools/postgres/database.js';
import { OWNER_PASSWORD, POSTGRES_BIN, startServer, type TestServer } from '../tools/postgres/server.js';

const SEED = Number(process.env.GAUNTLET_SEED ?? 20_261_120);
const HISTORIES = Number(process.env.GAUNTLET_COUNT ?? 20);
const HUBS = 5;
/** Those of them that send and fetch by themselves. */
const LIVE_HUBS = 2;
const STEPS = 50;
/** After so many histories all that is stored is proven, here and there. */
const CHECK_EVERY = 50;
const HANG_UP = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cognition'";

test.skipIf(POSTGRES_BIN === null)(
  `${HUBS} hubs that change one tree in any order have the same one in the end, killed, cut off or not (seed ${SEED}, ${HISTORIES} histories)`,
  { timeout: 120_000 + 30_000 * HISTORIES },
  async () => {
    await withSites(async (sites, server) => {
      const done: Told['done'] = new Map();
      for (let history = 0; history < HISTORIES; history++) {
        const { states, told } = await runOne(sites, server, SEED + history);
        for (const state of states) expect(state, `seed ${SEED + history}`).toEqual(states[0]);
        for (const node of told.nodes) expect(JSON.stringify(states[0])).toContain(node);
        for (const [name, { well, refused }] of told.done) {
          const sum = done.get(name) ?? { well: 0, refused: 0 };
          done.set(name, { well: sum.well + well, refused: sum.refused + refused });
        }
        if ((history + 1) % CHECK_EVERY === 0) await expectSound(sites);
      }
      await expectSound(sites);
      process.stderr.write(
        `${[...done].map(([name, { well, refused }]) => `${name} ${well}/${refused}`).join(' · ')}\n`,
      );
    });
  },
);

test.skipIf(POSTGRES_BIN === null)(
  'they have not where names and marks are left out: the check sees it',
  { timeout: 300_000 },
  async () => {
    await withSites(async (sites, server) => {
      await asOwner(
        server,
        `CREATE FUNCTION public.leave_out() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
         CREATE TRIGGER leave_out BEFORE INSERT ON cognition.entries FOR EACH ROW
         WHEN (NEW.id LIKE 'register %') EXECUTE FUNCTION public.leave_out()`,
      );
      let differing = 0;
      for (let history = 0; history < 3; history++) {
        const { states } = await runOne(sites.slice(0, 2), server, SEED + history);
        if (JSON.stringify(states[0]) !== JSON.stringify(states[1])) differing += 1;
      }
      expect(differing).toBeGreaterThan(0);
    });
  },
);

async function runOne(sites: readonly Site[], server: TestServer, seed: number) {
  const random = numbers(seed);
  const [first] = sites;
  if (first === undefined) throw new Error('there is one');
  const tree = await newTree(first.hub, null);
  await first.hub.client.call('sharing.share', { remote, tree });
  for (const { hub } of sites.slice(1)) await sync(hub, tree);
  const told = await runHistory({
    sites,
    tree,
    steps: STEPS,
    random,
    trouble: (site) => trouble(site, server, random),
  });
  const states = await settle(sites, tree);
  expect(await repeatedTexts(first.hub, tree)).toEqual([]);
  for (const { hub } of sites) await hub.client.call('sharing.unshare', { remote, tree });
  return { states, told };
}

/** In the midst of a sync a hub is killed, all connections are ended, or the server is killed and comes back. */
async function trouble({ hub }: Site, server: TestServer, random: () => number): Promise<void> {
  const syncing = sync(hub).catch(() => null);
  const kind = random();
  if (kind < 0.5) await hub.kill();
  else if (kind < 0.8) await asOwner(server, HANG_UP);
  else {
    await server.kill();
    await server.restart();
  }
  await syncing;
}

async function expectSound(sites: readonly Site[]): Promise<void> {
  for (const { hub } of sites) expect((await hub.client.call('loom.fsck', {})).problems).toEqual([]);
  const [first] = sites;
  expect(await first?.hub.client.call('sharing.remote_fsck', { remote })).toMatchObject({ problems: [], unproven: 0 });
}

async function withSites(use: (sites: readonly Site[], server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer();
  const parts: LineParts = { host: '127.0.0.1', port: server.port, delayMs: () => 0 };
  const lines = await Promise.all(Array.from({ length: HUBS }, () => openBadLine(parts)));
  try {
    const addresses = lines.map(({ port }) => `postgres://owner:${OWNER_PASSWORD}@127.0.0.1:${port}/postgres`);
    // Some take over when they are told to, some by themselves.
    await withHubs(addresses.slice(LIVE_HUBS), (...told) =>
      withLiveHubs(addresses.slice(0, LIVE_HUBS), async (...live) => {
        const sites = [...live, ...told].flatMap((hub, index) => {
          const line = lines[index];
          return line === undefined ? [] : [{ hub, line }];
        });
        await sites[0]?.hub.client.call('sharing.remote_init', { remote });
        await use(sites, server);
      }),
    );
  } finally {
    for (const line of lines) line.close();
    await server.stop();
  }
}
