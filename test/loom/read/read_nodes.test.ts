import { expect, test } from 'vitest';
import { cliCommand } from '../../../hub/base/hint.js';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { withReader } from '../../support/reader.js';
import { answer, command, step, text, user } from '../../support/trees.js';

const unknown = '99999999-0000-4000-8000-000000000000';
const node = (id = '') => NodeId.parse(id);
const tree = (id = '') => TreeId.parse(id);

test('a node is returned as it was written, with the count of its children', async () => {
  await withReader(async ({ read }, writer) => {
    const planted = await writer.plant(user('a', answer('b'), answer('c')));
    const created = writer.feed.find((entry) => entry.json.includes(`"id":"${planted.ids.a}"`));
    const got = await read('loom.node_get', { node: node(planted.ids.a) });
    const { node: root } = await read('loom.node_get', { node: node(planted.tree) });
    expect({ kind: 'node_created', seq: got.node.seq, parent_seq: root.seq, node: got.node }).toEqual(
      JSON.parse(created?.json ?? ''),
    );
    expect(got.child_count).toBe(2);
    expect(got.step_end).toBe(planted.ids.a);
  });
});

test('each node of a step has the end of the step', async () => {
  await withReader(async ({ read }, writer) => {
    const { ids } = await writer.plant(user('a', step('s', ['ls', 'pwd'], user('z'))));
    for (const name of ['s', 'ls', 'pwd']) {
      expect((await read('loom.node_get', { node: node(ids[name]) })).step_end).toBe(ids.pwd);
    }
    expect((await read('loom.node_get', { node: node(ids.z) })).step_end).toBe(ids.z);
  });
});

test('an unknown node is not found, with a hint', async () => {
  await withReader(async ({ read }, writer) => {
    await writer.plant(user('a'));
    await expect(read('loom.node_get', { node: node(unknown) })).rejects.toMatchObject({
      kind: 'not_found',
      message: `there is no node ${unknown}`,
      hint: ['see them with: ', cliCommand('show', '<tree>', '--ids')],
    });
  });
});

test('a node of another tree is refused with the name of its tree', async () => {
  await withReader(async ({ read }, writer) => {
    const one = await writer.plant(user('a'));
    const other = await writer.plant(user('b'));
    await expect(read('loom.node_get', { node: node(one.ids.a), tree: tree(other.tree) })).rejects.toMatchObject({
      kind: 'not_found',
      details: { tree: one.tree },
    });
    await expect(read('loom.node_find', { tree: tree(other.tree), ref: one.ids.a ?? '' })).rejects.toMatchObject({
      message: `node ${one.ids.a} is not in tree ${other.tree}: it belongs to tree ${one.tree}`,
    });
  });
});

test('children come oldest first, page by page', async () => {
  await withReader(async ({ read }, writer) => {
    const planted = await writer.plant(user('a'), user('b'), user('c'), user('d'));
    const first = await read('loom.node_get_children', { node: node(planted.tree), limit: 2 });
    const second = await read('loom.node_get_children', { node: node(planted.tree), limit: 2, cursor: first.cursor });
    expect(first.children.map(({ preview }) => preview)).toEqual(['a', 'b']);
    expect(second.children.map(({ preview }) => preview)).toEqual(['c', 'd']);
    expect(second.cursor).toBeNull();
  });
});

test('a skeleton has parents before children, with the fields of a line', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree: id, ids } = await writer.plant(user('a', step('s', ['ls'], command('pwd'))));
    const { nodes, cursor } = await read('loom.tree_get_skeleton', { tree: tree(id) });
    expect(nodes.map(({ role, tool, preview, exit_code }) => [role, tool, preview, exit_code])).toEqual([
      ['root', null, '', null],
      ['user', null, 'a', null],
      ['assistant', null, 's', null],
      ['tool', 'bash', 'ls', 0],
      ['tool', 'bash', 'pwd', 0],
    ]);
    expect(nodes.map(({ step: place }) => place)).toEqual([
      null,
      null,
      { id: ids.s, index: 0, size: 2 },
      { id: ids.s, index: 1, size: 2 },
      null,
    ]);
    expect(cursor).toBeNull();
  });
});

test('archived branches are left out with all that is below them, unless they are asked for', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree: id, ids } = await writer.plant(user('a', answer('b', user('c')), answer('d')));
    writer.write('loom.branch_archive', { tree: tree(id), node: node(ids.b) });
    const shown = await read('loom.tree_get_skeleton', { tree: tree(id) });
    expect(shown.nodes.map(({ preview }) => preview)).toEqual(['', 'a', 'd']);
    const all = await read('loom.tree_get_skeleton', { tree: tree(id), archived: true });
    expect(all.nodes.map(({ preview, archived }) => [preview, archived])).toEqual([
      ['', false],
      ['a', false],
      ['b', true],
      ['c', false],
      ['d', false],
    ]);
    const children = await read('loom.node_get_children', { node: node(ids.a) });
    expect(children.children.map(({ preview }) => preview)).toEqual(['d']);
    writer.write('loom.branch_restore', { tree: tree(id), node: node(ids.b) });
    expect((await read('loom.tree_get_skeleton', { tree: tree(id) })).nodes).toHaveLength(5);
  });
});

test('a page of a skeleton ends at its limit whatever is hidden in between', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree: id, ids } = await writer.plant(user('a'), user('b'), user('c'), user('d'));
    writer.write('loom.branch_archive', { tree: tree(id), node: node(ids.b) });
    const seen: string[] = [];
    for (let cursor: string | null = null, pages = 0; pages < 9; pages++) {
      const page: { nodes: { preview: string }[]; cursor: string | null } = await read('loom.tree_get_skeleton', {
        ...{ tree: tree(id), limit: 2, cursor },
      });
      expect(page.nodes.length).toBeLessThanOrEqual(2);
      seen.push(...page.nodes.map(({ preview }) => preview));
      cursor = page.cursor;
      if (cursor === null) break;
    }
    expect(seen).toEqual(['', 'a', 'c', 'd']);
  });
});

test('a node is found by mark before a prefix of its id, and similar names are suggested when none matches', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree: id } = await writer.plant();
    const made = writer.write('loom.node_create_text', {
      ...{ id: node('abcd1234-0000-4000-8000-000000000001'), tree: tree(id), parent: node(id) },
      ...{ role: 'user', blocks: text('here') },
    });
    writer.write('loom.mark_set', { tree: tree(id), name: 'abcd1' as never, node: node(id) }); // a brand that the schema gives
    const find = async (ref: string) => {
      const { matches, near } = await read('loom.node_find', { tree: tree(id), ref });
      return [matches.map((match) => match.id), near];
    };
    expect(await find('abcd1')).toEqual([[id], []]);
    expect(await find('ABCD1234')).toEqual([[made.node.id], []]);
    expect(await find('abcd1234-0000')).toEqual([[made.node.id], []]);
    expect(await find('abc')).toEqual([[], ['abcd1']]);
    expect(await find('abcd9999')).toEqual(
      [[], ['abcd1', made.node.id]].map((list, index) => (index === 0 ? [] : list.slice(1))),
    );
  });
});
