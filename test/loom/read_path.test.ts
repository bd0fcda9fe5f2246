import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../hub/protocol/node.js';
import { createPathCache } from '../../loom/read/path_cache.js';
import { withReader } from '../support/reader.js';
import { answer, command, step, text, user } from '../support/trees.js';

const node = (id = '') => NodeId.parse(id);

test('a path is read from the root to its node, page by page', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree, ids } = await writer.plant(user('a', answer('x'), answer('b', step('s', ['ls'], user('c')))));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { nodes: { id: string }[]; cursor: string | null } = await read('loom.context_get_path', {
        ...{ node: node(ids.c), limit: 2, cursor },
      });
      seen.push(...page.nodes.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== null);
    expect(seen).toEqual([tree, ids.a, ids.b, ids.s, ids.ls, ids.c]);
  });
});

test('a path of 5,000 nodes comes whole', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree } = await writer.plant();
    let parent = node(tree);
    for (let count = 0; count < 5_000; count++) {
      const made = writer.write('loom.node_create_text', {
        ...{ tree: TreeId.parse(tree), parent, role: 'user', blocks: text(`${count}`) },
      });
      parent = made.node.id;
    }
    const first = await read('loom.context_get_path', { node: parent, limit: 5_000 });
    const rest = await read('loom.context_get_path', { node: parent, limit: 5_000, cursor: first.cursor });
    expect([...first.nodes, ...rest.nodes].map(({ depth }) => depth)).toEqual([...Array(5_001).keys()]);
    expect(rest.cursor).toBeNull();
  });
});

test('a page ends early when its nodes are large, and has at least one', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree } = await writer.plant();
    let parent = node(tree);
    for (const length of [3_000_000, 3_000_000, 6_000_000]) {
      const blocks = text('x'.repeat(length));
      parent = writer.write('loom.node_create_text', { tree: TreeId.parse(tree), parent, role: 'user', blocks }).node
        .id;
    }
    const sizes: number[] = [];
    let cursor: string | null = null;
    do {
      const page: { nodes: unknown[]; cursor: string | null } = await read('loom.context_get_path', {
        node: parent,
        cursor,
      });
      sizes.push(page.nodes.length);
      cursor = page.cursor;
    } while (cursor !== null);
    expect(sizes).toEqual([2, 1, 1]);
  });
});

test('the handles on a path come in its order, with the nodes that hold them', async () => {
  await withReader(async ({ read }, writer) => {
    const { ids } = await writer.plant(command('one', step('s', ['two', 'three'], user('end')), command('aside')));
    const first = await read('loom.context_get_handles', { node: node(ids.end), limit: 2 });
    const rest = await read('loom.context_get_handles', { node: node(ids.end), limit: 2, cursor: first.cursor });
    const handles = [...first.handles, ...rest.handles];
    expect(handles.map((entry) => [entry.node, entry.handle.identifier])).toEqual([
      [ids.one, 'session-1/one'],
      [ids.two, 'session-1/two'],
      [ids.three, 'session-1/three'],
    ]);
    expect(rest.cursor).toBeNull();
  });
});

test('a cursor that no list made is refused', async () => {
  await withReader(async ({ read }, writer) => {
    const { ids } = await writer.plant(user('a'));
    await expect(read('loom.context_get_path', { node: node(ids.a), cursor: 'elsewhere' })).rejects.toMatchObject({
      kind: 'invalid_params',
      message: '"elsewhere" is not a cursor of this list',
    });
  });
});

test('a purged tree is not found, also where its paths were known', async () => {
  await withReader(async ({ read, scheduler }, writer) => {
    const { tree, ids } = await writer.plant(user('a', answer('b')));
    const id = TreeId.parse(tree);
    await read('loom.context_get_path', { node: node(ids.b) });
    const { confirm } = writer.write('loom.tree_purge', { tree: id });
    writer.write('loom.tree_purge', { tree: id, confirm });
    scheduler.accept({ forget: true });
    await expect(read('loom.context_get_path', { node: node(ids.b) })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(read('loom.tree_get', { tree: id })).rejects.toMatchObject({ kind: 'not_found' });
  });
});

test('the paths that were used last are kept', () => {
  const cache = createPathCache();
  for (let seq = 1; seq <= 8; seq++) cache.put(seq, [seq]);
  cache.get(1);
  cache.put(9, [9]);
  expect([1, 2, 3, 9].map((seq) => cache.get(seq))).toEqual([[1], undefined, [3], [9]]);
  cache.put(10, Array(600_000).fill(0));
  expect([1, 9].map((seq) => cache.get(seq))).toEqual([undefined, undefined]);
  expect(cache.get(10)).toHaveLength(600_000);
});
