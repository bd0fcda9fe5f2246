import { expect, test } from 'vitest';
import { NodeId, type Sha256, TreeId } from '../../../hub/protocol/node.js';
import { createPathCache } from '../../../loom/read/path_cache.js';
import { withReader } from '../../support/reader.js';
import { answer, command, ran, step, text, user } from '../../support/trees.js';
import type { TestWriter } from '../../support/writer.js';

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

test('a path of 5,000 nodes is returned whole', { timeout: 300_000 }, async () => {
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

test('a path can begin below the root, page by page as well', async () => {
  await withReader(async ({ read }, writer) => {
    const { ids } = await writer.plant(user('a', answer('x'), answer('b', step('s', ['ls'], user('c')))));
    const range = { node: node(ids.c), from_depth: 2, limit: 3 };
    const first = await read('loom.context_get_path', range);
    const rest = await read('loom.context_get_path', { ...range, cursor: first.cursor });
    expect([...first.nodes, ...rest.nodes].map(({ id }) => id)).toEqual([ids.b, ids.s, ids.ls, ids.c]);
    expect((await read('loom.context_get_path', { ...range, from_depth: 5 })).nodes).toHaveLength(1);
    expect((await read('loom.context_get_path', { ...range, from_depth: 6 })).nodes).toEqual([]);
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

test('the folders of a branch are those that the last calls of a person and of a model left, and its commands are listed', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree, ids } = await writer.plant(
      user('a', command('one', step('s', ['two'], user('end')), command('aside', answer('other end')))),
    );
    const place = async (id: string | undefined) => read('loom.context_get_place', { node: node(id) });
    expect(await place(tree)).toEqual({ person_cwd: null, model_cwd: null, commands: [] });
    expect(await place(ids.a)).toEqual({ person_cwd: null, model_cwd: null, commands: [] });
    expect(await place(ids.one)).toEqual({ person_cwd: '/project', model_cwd: '/project', commands: [ids.one] });
    expect(await place(ids.end)).toEqual({ person_cwd: '/project', model_cwd: '/project', commands: [ids.one] });
    expect(await place(ids['other end'])).toEqual({
      ...{ person_cwd: '/project', model_cwd: '/project', commands: [ids.aside, ids.one] },
    });
  });
});

test('a call without a folder leaves the branch in its folder', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree } = await writer.plant();
    const first = leaves(writer, { tree, parent: tree, cwd: '/project/src' });
    const second = leaves(writer, { tree, parent: first, cwd: null });
    expect((await read('loom.context_get_place', { node: node(second) })).person_cwd).toBe('/project/src');
    const third = leaves(writer, { tree, parent: second, cwd: '/a\nfolder 数' });
    expect(await read('loom.context_get_place', { node: node(third) })).toEqual({
      ...{ person_cwd: '/a\nfolder 数', model_cwd: '/a\nfolder 数', commands: [third, second, first] },
    });
  });
});

test('the newest fifty commands are listed, and a folder from far above is found', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree } = await writer.plant();
    const commands: string[] = [];
    let parent = tree;
    for (let count = 0; count < 60; count++) {
      parent = leaves(writer, { tree, parent, cwd: count === 0 ? '/far/above' : null });
      commands.unshift(parent);
    }
    for (let count = 0; count < 2_500; count++) {
      parent = writer.write('loom.node_create_text', {
        ...{ tree: TreeId.parse(tree), parent: node(parent), role: 'user', blocks: text(`${count}`) },
      }).node.id;
    }
    expect((await read('loom.context_get_place', { node: node(parent) })).person_cwd).toBe('/far/above');
    // With a folder nearby, commands so far above are not looked for.
    const near = leaves(writer, { tree, parent, cwd: '/near' });
    expect(await read('loom.context_get_place', { node: node(near) })).toEqual({
      ...{ person_cwd: '/near', model_cwd: '/near', commands: [near] },
    });
    expect((await read('loom.context_get_place', { node: node(commands[0]) })).commands).toEqual(commands.slice(0, 50));
  });
});

test('the folder of an unknown node is not found', async () => {
  await withReader(async ({ read }, writer) => {
    await writer.plant();
    await expect(
      read('loom.context_get_place', { node: node('00000000-0000-4000-8000-000000000000') }),
    ).rejects.toMatchObject({ kind: 'not_found' });
  });
});

/** Appends a command of a person that ended in a folder, and returns its id. */
function leaves(writer: TestWriter, at: { tree: string; parent: string; cwd: string | null }): string {
  const external = { ...ran('cd'), cwd: at.cwd };
  const params = { tree: TreeId.parse(at.tree), parent: node(at.parent), blocks: text(''), external };
  return writer.write('loom.node_create_external', params).node.id;
}

test('a foreign cursor is refused', async () => {
  await withReader(async ({ read }, writer) => {
    const { ids } = await writer.plant(user('a'));
    await expect(read('loom.context_get_path', { node: node(ids.a), cursor: 'elsewhere' })).rejects.toMatchObject({
      kind: 'invalid_params',
      message: '"elsewhere" is not a cursor of this list',
    });
  });
});

test('a purged tree is not found, even when its paths were cached', async () => {
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

test('the most recently used paths are cached', () => {
  const cache = createPathCache();
  for (let seq = 1; seq <= 8; seq++) cache.put(seq, [seq]);
  cache.get(1);
  cache.put(9, [9]);
  expect([1, 2, 3, 9].map((seq) => cache.get(seq))).toEqual([[1], undefined, [3], [9]]);
  cache.put(10, Array(600_000).fill(0));
  expect([1, 9].map((seq) => cache.get(seq))).toEqual([undefined, undefined]);
  expect(cache.get(10)).toHaveLength(600_000);
});

test('the settings of a path are those of its newest answer, however far above', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree } = await writer.plant();
    const made = (prompt: string) =>
      writer.write('loom.settings_put', {
        settings: { system_prompt: prompt, tools: [], level: 'minimal', model: 'demo/demo', thinking: 'off' },
      }).sha256;
    const said = (parent: string, role: 'user' | 'assistant', settings: Sha256 | null = null) =>
      writer.write('loom.node_create_text', {
        ...{ tree: TreeId.parse(tree), parent: node(parent), role, blocks: text('words'), settings },
      }).node.id;
    const settings = async (id: string) => (await read('loom.context_get_settings', { node: node(id) })).settings;
    const [first, second] = [made('first'), made('second')];
    const question = said(tree, 'user');
    const answered = said(question, 'assistant', first);
    const again = said(said(answered, 'user'), 'assistant', second);
    const unmade = said(answered, 'assistant');
    expect(await settings(tree)).toBeNull();
    expect(await settings(question)).toBeNull();
    expect(await settings(answered)).toBe(first);
    expect(await settings(again)).toBe(second);
    expect(await settings(unmade)).toBe(first);
    let below: string = again;
    for (let count = 0; count < 2_500; count++) below = said(below, 'user');
    expect(await settings(below)).toBe(second);
    await expect(settings('00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({ kind: 'not_found' });
  });
});
