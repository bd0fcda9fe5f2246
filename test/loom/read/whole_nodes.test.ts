import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { withReader } from '../../support/reader.js';
import { answer, user } from '../../support/trees.js';

const ABSENT = NodeId.parse('00000000-0000-4000-8000-00000000dead');
const id = (text: string | undefined): NodeId => NodeId.parse(text);

test('several nodes come whole in one call, in the order of their ids, also twice; unknown ones are told', async () => {
  await withReader(async ({ read }, writer) => {
    const one = await writer.plant(user('a', answer('b')));
    const two = await writer.plant(user('c'));
    const [a, b, c] = [id(one.ids.a), id(one.ids.b), id(two.ids.c)];
    const { nodes, missing, cursor } = await read('loom.node_get_many', { nodes: [c, ABSENT, a, b, a] });
    expect(nodes.map(({ id: node, role, hash }) => [node, role, hash.length])).toEqual([
      [c, 'user', 64],
      [a, 'user', 64],
      [b, 'assistant', 64],
      [a, 'user', 64],
    ]);
    expect([missing, cursor]).toEqual([[ABSENT], null]);
    expect(await read('loom.node_get_many', { nodes: [] })).toEqual({ nodes: [], missing: [], cursor: null });
  });
});

test('what does not fit a page comes with the next, each node once, unknown ones too', async () => {
  await withReader(async ({ read }, writer) => {
    const { ids } = await writer.plant(...['x', 'y', 'z'].map((letter) => user(letter.repeat(3 * 1024 * 1024))));
    const large = Object.values(ids).map(id);
    const [first, ...rest] = large;
    const wanted = [id(first), ABSENT, ...rest, id(first)];
    const seen: string[] = [];
    const absent: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await read('loom.node_get_many', { nodes: wanted, cursor: cursor ?? null });
      expect(page.nodes.length).toBeGreaterThan(0);
      seen.push(...page.nodes.map((node) => node.id));
      absent.push(...page.missing);
      cursor = page.cursor;
    }
    expect([seen, absent]).toEqual([[...large, id(first)], [ABSENT]]);
  });
});

test('children come with their contents, in pages, archived ones when wanted for', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree, ids } = await writer.plant(user('a', answer('b'), answer('c'), answer('d')));
    const node = id(ids.a);
    const first = await read('loom.node_read_children', { node, limit: 2 });
    expect(first.nodes.map(({ blocks }) => blocks)).toEqual([
      [{ type: 'text', text: 'b' }],
      [{ type: 'text', text: 'c' }],
    ]);
    const second = await read('loom.node_read_children', { node, limit: 2, cursor: first.cursor });
    expect([second.nodes.map((child) => child.id), second.cursor]).toEqual([[ids.d], null]);
    writer.write('loom.branch_archive', { tree: TreeId.parse(tree), node: id(ids.c) });
    const visible = await read('loom.node_read_children', { node });
    expect(visible.nodes.map((child) => child.id)).toEqual([ids.b, ids.d]);
    expect((await read('loom.node_read_children', { node, archived: true })).nodes).toHaveLength(3);
  });
});
