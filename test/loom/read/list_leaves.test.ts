import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { forkPointOf, type Item, leavesOf, pathTo, treeIndex } from '../../../loom/tree.js';
import { withReader } from '../../support/reader.js';
import { answer, command, text, user } from '../../support/trees.js';

const node = (id = '') => NodeId.parse(id);
const told = (leaves: { node: { preview: string }; fork: string; differs: string; length: number }[]) =>
  leaves.map((leaf) => [leaf.node.preview, leaf.fork, leaf.differs, leaf.length]);

test('each leaf has its fork point, its first differing words and its length', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree, ids } = await writer.plant(user('a', answer('b', user('c', answer('d')), command('ls', user('e')))));
    const { leaves } = await read('loom.context_list_leaves', { tree: TreeId.parse(tree) });
    expect(told(leaves)).toEqual([
      ['e', ids.b, 'e', 2],
      ['d', ids.b, 'c', 2],
    ]);
  });
});

test('a branch without a person’s words differs by its first node', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree, ids } = await writer.plant(user('a', answer('b', answer('more')), command('ls')));
    const { leaves } = await read('loom.context_list_leaves', { tree: TreeId.parse(tree) });
    expect(told(leaves)).toEqual([
      ['ls', ids.a, 'ls', 1],
      ['more', ids.a, 'b', 2],
    ]);
  });
});

test('the leaf of an empty tree is its root', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree } = await writer.plant();
    const { leaves } = await read('loom.context_list_leaves', { tree: TreeId.parse(tree) });
    expect(told(leaves)).toEqual([['', tree, '', 0]]);
  });
});

test('leaves below one node are listed alone, and archived branches make no fork', async () => {
  await withReader(async ({ read }, writer) => {
    const planted = await writer.plant(user('a', answer('b', user('c')), answer('d', user('e'), user('f'))), user('g'));
    const { ids } = planted;
    const tree = TreeId.parse(planted.tree);
    const under = async (name: string, archived = false) =>
      told((await read('loom.context_list_leaves', { tree, under: node(ids[name]), archived })).leaves);
    expect(await under('d')).toEqual([
      ['f', ids.d, 'f', 1],
      ['e', ids.d, 'e', 1],
    ]);
    writer.write('loom.branch_archive', { tree, node: node(ids.e) });
    expect(await under('d')).toEqual([['f', ids.a, 'f', 2]]);
    expect(await under('d', true)).toHaveLength(2);
    writer.write('loom.branch_archive', { tree, node: node(ids.f) });
    expect(await under('d')).toEqual([['d', ids.a, 'd', 1]]);
    expect(await under('f')).toEqual([['f', ids.d, 'f', 1]]);
  });
});

test('leaves of random trees are those of the list, newest first, over any pages', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 25 }), fc.integer({ min: 1, max: 5 }), async (choices, limit) => {
      await withReader(async ({ read }, writer) => {
        const planted = await writer.plant();
        const tree = TreeId.parse(planted.tree);
        const items: Item[] = [{ id: tree, parent: null }];
        for (const choice of choices) {
          const parent = node(items[choice % items.length]?.id);
          const made = writer.write('loom.node_create_text', { tree, parent, role: 'assistant', blocks: text('x') });
          items.push({ id: made.node.id, parent });
        }
        const found: unknown[] = [];
        let cursor: string | null = null;
        do {
          const page: { leaves: { node: { id: string }; fork: string; length: number }[]; cursor: string | null } =
            await read('loom.context_list_leaves', { tree, limit, cursor });
          found.push(...page.leaves.map((leaf) => [leaf.node.id, leaf.fork, leaf.length]));
          cursor = page.cursor;
        } while (cursor !== null);
        const shape = treeIndex(items);
        const expected = leavesOf(items)
          .reverse()
          .map(({ id }) => {
            const leaf = shape.indexOf(id) ?? 0;
            const fork = forkPointOf(shape, leaf) ?? 0;
            return [id, items[fork]?.id, pathTo(shape, leaf).length - pathTo(shape, fork).length];
          });
        expect(found).toEqual(expected);
      });
    }),
    { numRuns: 30 },
  );
});
