import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { withReader } from '../../support/reader.js';
import { answer, command, step, summary, user } from '../../support/trees.js';

const tree = (id = '') => TreeId.parse(id);
const node = (id = '') => NodeId.parse(id);

test('a shape has the parent, the kind and the time of each node', async () => {
  await withReader(async ({ read }, writer) => {
    const picture = user('a', step('s', ['ls'], answer('b', command('pwd'), summary('c'))));
    const { tree: id } = await writer.plant(picture);
    const { nodes } = await read('loom.tree_get_skeleton', { tree: tree(id) });
    const shape = await read('loom.tree_get_shape', { tree: tree(id) });
    expect(shape.kind).toBe('rubtats');
    const seqs = shape.seq.map((_, at) => shape.seq.slice(0, at + 1).reduce((sum, one) => sum + one, 0));
    expect(seqs).toEqual(nodes.map(({ seq }) => seq));
    const parents = shape.parent.map((distance, at) => (distance === 0 ? null : (seqs[at] ?? 0) - distance));
    const byId = new Map(nodes.map(({ id: one, seq }) => [one, seq]));
    expect(parents).toEqual(nodes.map(({ parent }) => (parent === null ? null : byId.get(parent))));
    expect(shape.at[0]).toBe(Math.floor((nodes[0]?.created_at_ms ?? 0) / 1_000));
    expect(shape.cursor).toBeNull();
  });
});

test('archived branches are left out of a shape, or listed by their tops', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree: id, ids } = await writer.plant(user('a', answer('b', user('c')), answer('d')));
    writer.write('loom.branch_archive', { tree: tree(id), node: node(ids.b) });
    expect((await read('loom.tree_get_shape', { tree: tree(id) })).kind).toBe('rua');
    expect(await read('loom.tree_get_shape', { tree: tree(id), archived: true })).toMatchObject({
      ...{ kind: 'ruaua', archived: [2] },
    });
  });
});

test('a shape is read page by page, and later continued with new nodes', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree: id, ids } = await writer.plant(user('a'), user('b'));
    const first = await read('loom.tree_get_shape', { tree: tree(id), limit: 2 });
    expect(first.kind).toBe('ru');
    const second = await read('loom.tree_get_shape', { tree: tree(id), limit: 2, cursor: first.cursor });
    expect(second).toMatchObject({ kind: 'u', cursor: null });
    const blocks = [{ type: 'text' as const, text: 'c' }];
    const parent = node(ids.b);
    writer.write('loom.node_create_text', {
      ...{
        id: node('99999999-0000-4000-8000-000000000001'),
        tree: tree(id),
        parent,
        role: 'user',
        blocks,
        settings: null,
      },
    });
    const last = String(second.seq[0]);
    expect((await read('loom.tree_get_shape', { tree: tree(id), cursor: last })).kind).toBe('u');
  });
});

test('lines come in the order of the request, and only those of the tree', async () => {
  await withReader(async ({ read }, writer) => {
    const one = await writer.plant(user('a'), user('b'));
    const other = await writer.plant(user('x'));
    const { nodes } = await read('loom.tree_get_skeleton', { tree: tree(one.tree) });
    const foreign = (await read('loom.tree_get_skeleton', { tree: tree(other.tree) })).nodes[1]?.seq ?? 0;
    const seqs = [nodes[2]?.seq ?? 0, foreign, 999_999, nodes[1]?.seq ?? 0];
    const lines = await read('loom.tree_get_lines', { tree: tree(one.tree), seqs });
    expect(lines.nodes.map(({ preview }) => preview)).toEqual(['b', 'a']);
    expect((await read('loom.tree_get_lines', { tree: tree(one.tree), seqs: [] })).nodes).toEqual([]);
  });
});
