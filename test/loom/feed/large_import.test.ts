import { expect, test } from 'vitest';
import type { Client } from '../../../hub/client/client.js';
import type { ExportRecord } from '../../../hub/protocol/methods/tree_methods.js';
import type { TreeId } from '../../../hub/protocol/node.js';
import { addChain, newTree } from '../../bench/trees.js';
import { withHub } from '../../support/hub.js';

test('who watches a tree is told of every node that a large import brings, in their order', () =>
  withHub(async ({ client }) => {
    const tree = await newTree(client);
    await Promise.all(Array.from({ length: 9 }, () => addChain(client, tree, 50)));
    const records: ExportRecord[] = [];
    for await (const record of client.pages('loom.tree_export', { tree }, 'records')) records.push(record);
    const { confirm } = await client.call('loom.tree_purge', { tree });
    await client.call('loom.tree_purge', { tree, confirm });
    const nodes = records.flatMap((record) => (record.kind === 'node' ? [record.node.id] : []));

    const watch = await watchNodes(client, { tree, count: nodes.length });
    await client.call('loom.tree_import', { tree, records, done: true });
    expect(await watch.seen).toEqual(nodes);
  }));

/** Begins to watch a tree; `seen` has its first nodes when there are so many. */
async function watchNodes(client: Client, { tree, count }: { tree: TreeId; count: number }) {
  const ending = new AbortController();
  const ids: string[] = [];
  let onLive = (): void => undefined;
  const live = new Promise<void>((resolve) => {
    onLive = resolve;
  });
  const seen = new Promise<string[]>((resolve, reject) => {
    const onEvent: Parameters<Client['watch']>[0]['onEvent'] = (event) => {
      if (event.kind === 'watch_live') onLive();
      if (event.kind === 'node_created' && ids.push(event.node.id) === count) {
        ending.abort();
        resolve(ids);
      }
    };
    client.watch({ tree, signal: ending.signal, onEvent }).catch(reject);
  });
  await live;
  return { seen };
}
