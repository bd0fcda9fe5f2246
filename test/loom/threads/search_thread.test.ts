import { expect, test } from 'vitest';
import { NodeId, type TreeId } from '../../../hub/protocol/node.js';
import { withHub } from '../../support/hub.js';
import { text } from '../../support/trees.js';

test('the thread of the searches finds what is written after its first search, and nothing of what is purged', () =>
  withHub(async ({ client }) => {
    const treeWith = async (words: string): Promise<TreeId> => {
      const { id: tree } = await client.call('loom.tree_create', {});
      const parent = NodeId.parse(tree);
      await client.call('loom.node_create_text', { tree, parent, role: 'user', blocks: text(words) });
      return tree;
    };
    const found = async (): Promise<string[]> =>
      (await client.call('loom.search', { query: 'zebrawort' })).hits.map(({ tree }) => tree);
    const first = await treeWith('a zebrawort');
    expect(await found()).toEqual([first]);
    const large = await treeWith(`${'x '.repeat(1_000_000)} zebrawort`);
    expect(await found()).toEqual([large, first]);
    const { confirm } = await client.call('loom.tree_purge', { tree: first });
    await client.call('loom.tree_purge', { tree: first, confirm });
    expect(await found()).toEqual([large]);
  }));
