import { expect, test } from 'vitest';
import { numbers, runHistory, settle } from '../hub/sharing/convergence.js';
import { newTree, remote, sync, withHubs } from '../hub/sharing/shared_trees.js';
import { asOwner } from '../tools/postgres/database.js';
import { POSTGRES_BIN, startServer } from '../tools/postgres/server.js';

const SEED = Number(process.env.GAUNTLET_SEED ?? 20_261_120);
const HANG_UP = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cognition'";
const HISTORIES = Number(process.env.GAUNTLET_COUNT ?? 4);

test.skipIf(POSTGRES_BIN === null)(
  `hubs that change one tree in any order have the same one in the end, killed or cut off or not (seed ${SEED}, ${HISTORIES} histories)`,
  { timeout: 60_000 * (1 + HISTORIES) },
  async () => {
    const server = await startServer();
    try {
      await withHubs([server.socket, server.socket, server.socket], async (...hubs) => {
        const [first] = hubs;
        if (first === undefined) throw new Error('there are three');
        await first.client.call('sharing.remote_init', { remote });
        for (let history = 0; history < HISTORIES; history++) {
          const random = numbers(SEED + history);
          const tree = await newTree(first, `tree ${history}`);
          await first.client.call('sharing.share', { remote, tree });
          for (const hub of hubs.slice(1)) await sync(hub, tree);
          const trouble = async (hub: (typeof hubs)[number]): Promise<void> => {
            const syncing = sync(hub).catch(() => null);
            await (random() < 0.5 ? hub.kill() : asOwner(server, HANG_UP));
            await syncing;
          };
          const nodes = await runHistory({ hubs, tree, steps: 60, random, trouble });
          const [one, ...others] = await settle(hubs, tree);
          for (const other of others) expect(other, `seed ${SEED + history}`).toEqual(one);
          // What was acknowledged is everywhere.
          for (const node of nodes) expect(JSON.stringify(one)).toContain(node);
        }
        for (const hub of hubs) expect((await hub.client.call('loom.fsck', {})).problems).toEqual([]);
      });
    } finally {
      await server.stop();
    }
  },
);
