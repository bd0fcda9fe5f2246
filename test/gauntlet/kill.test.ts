import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { TreeId } from '../../hub/protocol/node.js';
import { withHub } from '../support/hub.js';
import { extent } from './extent.js';
import { killWhileWriting } from './kill.js';

test(
  'killing the hub at random instants loses nothing that was acknowledged, and doubles nothing',
  { timeout: 300_000 },
  () =>
    withHub(async ({ home, client }) => {
      const tree = TreeId.parse(randomUUID());
      await client.call('loom.tree_create', { id: tree });
      const { acknowledged, writers, restartsMs } = await killWhileWriting(home, tree, extent(50));
      expect(writers.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
        writers.map(() => ({ code: 0, stderr: '' })),
      );

      const stored = new Map<string, string>();
      for await (const node of client.pages('loom.tree_get_skeleton', { tree, limit: 10_000 }, 'nodes')) {
        if (node.parent !== null) stored.set(node.id, node.parent);
      }
      expect(stored).toEqual(acknowledged);
      expect(await client.call('loom.fsck', { tree })).toMatchObject({ nodes: acknowledged.size + 1, problems: [] });

      restartsMs.sort((a, b) => a - b);
      const at = (share: number): string => (restartsMs[Math.floor(share * (restartsMs.length - 1))] ?? 0).toFixed(0);
      const restarts = `a hub answered again after ${at(0.5)} ms (median), ${at(0.99)} ms (99 %), ${at(1)} ms (longest)`;
      console.log(`${restartsMs.length} kills, ${acknowledged.size} nodes; ${restarts}`);
    }),
);
