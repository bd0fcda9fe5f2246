import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { homePaths } from '../../hub/config/config.js';
import { Sha256, TreeId } from '../../hub/protocol/node.js';
import { outputPath } from '../../loom/outputs/output_path.js';
import { withHub } from '../support/hub.js';
import { extent, timeFor } from './extent.js';
import { killWhileWriting } from './kill.js';

test(
  'killing the hub at random instants loses nothing that was acknowledged, and doubles nothing',
  { timeout: timeFor(1_200_000) },
  () =>
    withHub(async (hub) => {
      const { home, client } = hub;
      const tree = TreeId.parse(randomUUID());
      await client.call('loom.tree_create', { id: tree });
      const { acknowledged, purged, writers, restartsMs } = await killWhileWriting(home, tree, extent(50));
      expect(writers.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
        writers.map(() => ({ code: 0, stderr: '' })),
      );

      const stored = new Map<string, string>();
      for await (const node of client.pages('loom.tree_get_skeleton', { tree, limit: 10_000 }, 'nodes')) {
        if (node.parent !== null) stored.set(node.id, node.parent);
      }
      expect(stored).toEqual(acknowledged);
      expect(await client.call('loom.fsck', { tree })).toMatchObject({ nodes: acknowledged.size + 1, problems: [] });

      // What was purged is gone for good, also where the hub was killed between the commit and the removal.
      await hub.kill();
      const after = await hub.connect();
      expect(await after.call('loom.fsck', {})).toMatchObject({ problems: [] });
      const { outputs } = homePaths(home);
      expect(purged.filter((sha256) => existsSync(outputPath(outputs, Sha256.parse(sha256))))).toEqual([]);
      expect(purged.length).toBeGreaterThan(0);

      restartsMs.sort((a, b) => a - b);
      const at = (share: number): string => (restartsMs[Math.floor(share * (restartsMs.length - 1))] ?? 0).toFixed(0);
      const restarts = `a hub answered again after ${at(0.5)} ms (median), ${at(0.99)} ms (99 %), ${at(1)} ms (longest)`;
      console.log(
        `kill: tried ${restartsMs.length}, failed 0; ${acknowledged.size} nodes, ${purged.length} purges; ${restarts}`,
      );
    }),
);
