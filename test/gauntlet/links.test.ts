import { expect, test } from 'vitest';
import { type BadLine, openBadLine } from '../hub/sharing/bad_line.js';
import { numbers, repeatedTexts, runHistory, type Site, settle } from '../hub/sharing/convergence.js';
import { addNamespace, type Namespace, whyNoNamespaces } from '../hub/sharing/namespaces.js';
import { nameRemote, newTree, remote, sync } from '../hub/sharing/shared_trees.js';
import { connectTo, hubPid, killHub, type TestHub, withHome } from '../support/hub.js';
import { asOwner } from '../tools/postgres/database.js';
import { OWNER_PASSWORD, POSTGRES_BIN, startServer, type TestServer } from '../tools/postgres/server.js';

const SEED = Number(process.env.GAUNTLET_SEED ?? 20_261_120);
const HISTORIES = Number(process.env.GAUNTLET_COUNT ?? 1);
const HUBS = 3;
const STEPS = 16;
/** One way; a lost packet is sent again after a while. */
const DELAY_MS = 100;
const LOST = 0.02;
const RESEND_MS = 300;
const OUTAGE_MS = 1_500;

const reason = POSTGRES_BIN === null ? 'there is no PostgreSQL' : whyNoNamespaces();
if (reason !== null) process.stderr.write(`hubs in network namespaces are not tried: ${reason}\n`);

test.skipIf(reason !== null)(
  `${HUBS} hubs in networks of their own, over links that are slow, lossy and cut, have the same tree (seed ${SEED}, ${HISTORIES} histories)`,
  { timeout: 240_000 * (1 + HISTORIES) },
  async () => {
    await withLinks(async (sites, server) => {
      for (let history = 0; history < HISTORIES; history++) await expectOne(sites, SEED + history);
      for (const { hub } of sites) expect((await hub.client.call('loom.fsck', {})).problems).toEqual([]);
      // The connections came from three networks.
      expect(await asOwner(server, 'SELECT count(*) FROM cognition.hubs')).toEqual([[String(HUBS)]]);
    });
  },
);

async function expectOne(sites: readonly Site[], seed: number): Promise<void> {
  const random = numbers(seed);
  const [first] = sites;
  if (first === undefined) throw new Error('there are three');
  const tree = await newTree(first.hub);
  await first.hub.client.call('sharing.share', { remote, tree });
  for (const { hub } of sites.slice(1)) await sync(hub, tree);
  const trouble = async ({ hub }: Site): Promise<void> => {
    const syncing = sync(hub).catch(() => null);
    await hub.kill();
    await syncing;
  };
  const told = await runHistory({ sites, tree, steps: STEPS, random, trouble });
  const [one, ...others] = await settle(sites, tree);
  for (const other of others) expect(other, `seed ${seed}`).toEqual(one);
  for (const node of told.nodes) expect(JSON.stringify(one)).toContain(node);
  expect(await repeatedTexts(first.hub, tree)).toEqual([]);
  for (const { hub } of sites) await hub.client.call('sharing.unshare', { remote, tree });
}

async function withLinks(use: (sites: readonly Site[], server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer();
  const namespaces: Namespace[] = [];
  const lines: BadLine[] = [];
  const withSites = async (sites: Site[]): Promise<void> => {
    if (sites.length === HUBS) {
      await sites[0]?.hub.client.call('sharing.remote_init', { remote });
      return use(sites, server);
    }
    const namespace = addNamespace(sites.length + 1);
    namespaces.push(namespace);
    const line = await openLink(namespace, server.port);
    lines.push(line);
    const address = `postgres://owner:${OWNER_PASSWORD}@${namespace.host}:${line.port}/postgres`;
    await withHubIn(namespace, address, (hub) => withSites([...sites, { hub, line }]));
  };
  try {
    await withSites([]);
  } finally {
    for (const line of lines) line.close();
    for (const namespace of namespaces) namespace.remove();
    await server.stop();
  }
}

/** A line over the link, slow and lossy where the kernel cannot make the link so; what is cut is the link itself, for a while. */
async function openLink(namespace: Namespace, port: number): Promise<BadLine> {
  const delayMs = (): number => (namespace.isShaped ? 0 : DELAY_MS + (Math.random() < LOST ? RESEND_MS : 0));
  const line = await openBadLine({ host: namespace.host, port, delayMs });
  return {
    ...line,
    become(state) {
      line.become('open');
      namespace.link(state === 'cut' ? 'down' : 'up');
      if (state === 'cut') setTimeout(() => namespace.link('up'), OUTAGE_MS).unref();
    },
  };
}

async function withHubIn(namespace: Namespace, address: string, use: (hub: TestHub) => Promise<void>): Promise<void> {
  await withHome(async (home) => {
    nameRemote(home, address, 'sharing.live = false\n');
    const hubEntry = namespace.hubEntry(home);
    const client = await connectTo(home, { hubEntry });
    try {
      const connect: TestHub['connect'] = (options) => connectTo(home, { hubEntry, ...options });
      await use({ home, client, connect, pid: () => hubPid(home), kill: () => killHub(home) });
    } finally {
      await client.close();
    }
  });
}
