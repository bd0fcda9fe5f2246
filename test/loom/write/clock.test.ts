import { expect, test } from 'vitest';
import { withReader } from '../../support/reader.js';
import { user } from '../../support/trees.js';

test('a clock that is set back changes neither the order of a tree nor of the list', () =>
  withReader(async (reader, writer) => {
    const first = await writer.plant(user('first'));
    writer.setClock(1_000);
    const second = await writer.plant(user('a', user('b')), user('c'));
    const { nodes } = await reader.read('loom.tree_get_skeleton', { tree: second.tree });
    expect(nodes.map((node) => node.preview)).toEqual(['', 'a', 'b', 'c']);
    expect(nodes.every((node) => node.created_at_ms < 20_000)).toBe(true);
    const { trees } = await reader.read('loom.tree_list', {});
    expect(trees.map((tree) => tree.id)).toEqual([second.tree, first.tree]);
    expect((await reader.read('loom.fsck', {})).problems).toEqual([]);
  }));
