import { expect, test } from 'vitest';
import { NodeId, TreeId, TreeName } from '../../../hub/protocol/node.js';
import { editDistance, isNear } from '../../../loom/read/similar_names.js';
import { withReader } from '../../support/reader.js';
import { text, user } from '../../support/trees.js';

const name = (given: string) => TreeName.parse(given);
const id = (given: string) => TreeId.parse(given);

test('trees are listed by their newest activity, page by page', async () => {
  await withReader(async ({ read }, writer) => {
    const [a, b, c] = ['a', 'b', 'c'].map((given) => writer.write('loom.tree_create', { name: name(given) }).id);
    if (a === undefined) throw new Error('no tree');
    writer.write('loom.node_create_text', { tree: a, parent: NodeId.parse(a), role: 'user', blocks: text('again') });
    const first = await read('loom.tree_list', { limit: 2 });
    const rest = await read('loom.tree_list', { limit: 2, cursor: first.cursor });
    expect([...first.trees, ...rest.trees].map((tree) => tree.id)).toEqual([a, c, b]);
    expect(rest.cursor).toBeNull();
  });
});

test('a list has archived trees, those of a project, or owned ones only when asked', async () => {
  await withReader(async ({ read }, writer) => {
    const plain = writer.write('loom.tree_create', { name: name('plain') }).id;
    const hidden = writer.write('loom.tree_create', { name: name('hidden') }).id;
    writer.write('loom.tree_archive', { tree: hidden });
    const here = writer.write('loom.tree_create', { project: '/here' }).id;
    const owner = { tree: plain, node: NodeId.parse(plain) };
    const owned = writer.write('loom.tree_create', { owner }).id;
    const list = async (params: object) => (await read('loom.tree_list', params)).trees.map((tree) => tree.id);
    expect(await list({})).toEqual([here, plain]);
    expect(await list({ archived: true })).toEqual([hidden]);
    expect(await list({ project: '/here' })).toEqual([here]);
    expect(await list({ owner: plain })).toEqual([owned]);
  });
});

test('a tree is found by its id, else by its name, else by the beginning of its id', async () => {
  await withReader(async ({ read }, writer) => {
    const one = writer.write('loom.tree_create', {
      id: id('abcd0000-0000-4000-8000-000000000001'),
      name: name('first'),
    }).id;
    const two = writer.write('loom.tree_create', {
      id: id('abcd0000-1111-4000-8000-000000000002'),
      name: name('abcd'),
    }).id;
    const find = async (ref: string) => {
      const { matches, near } = await read('loom.tree_find', { ref });
      return [matches.map((tree) => tree.id), near];
    };
    expect(await find(one.toUpperCase())).toEqual([[one], []]);
    expect(await find('first')).toEqual([[one], []]);
    expect(await find('abcd')).toEqual([[two], []]);
    expect(await find('abcd0')).toEqual([[two, one], []]);
    expect(await find('abcd0000-1')).toEqual([[two], []]);
    expect(await find('abcd00001')).toEqual([[two], []]);
    expect(await find('fisrt')).toEqual([[], ['first']]);
    expect(await find('irs')).toEqual([[], ['first']]);
    expect(await find('abcd9')).toEqual([[], ['abcd', two, one]]);
    expect(await find('%')).toEqual([[], []]);
  });
});

test('an archived tree is found by its name unless another has the name now', async () => {
  await withReader(async ({ read }, writer) => {
    const old = writer.write('loom.tree_create', { name: name('work') }).id;
    writer.write('loom.tree_archive', { tree: old });
    expect((await read('loom.tree_find', { ref: 'work' })).matches.map((tree) => tree.id)).toEqual([old]);
    const now = writer.write('loom.tree_create', { name: name('work') }).id;
    expect((await read('loom.tree_find', { ref: 'work' })).matches.map((tree) => tree.id)).toEqual([now]);
  });
});

test('a tree that is still being imported is not found', async () => {
  await withReader(async ({ read }, writer) => {
    const tree = id('abcd0000-0000-4000-8000-000000000001');
    const origin = { id: tree, name: null, project: null, owner: null, created_at_ms: 1 };
    writer.write('loom.tree_import', { tree, records: [{ kind: 'tree', format: 1, tree: origin }], done: false });
    expect((await read('loom.tree_list', {})).trees).toEqual([]);
    expect((await read('loom.tree_find', { ref: tree })).matches).toEqual([]);
    await expect(read('loom.tree_get', { tree })).rejects.toMatchObject({ kind: 'not_found' });
  });
});

test('marks are listed by name, and settings and turns as they were stored', async () => {
  await withReader(async ({ read }, writer) => {
    const { tree: planted, ids } = await writer.plant(user('a'));
    const tree = id(planted);
    const node = NodeId.parse(ids.a);
    for (const given of ['b', 'a', 'c']) writer.write('loom.mark_set', { tree, name: given as never, node }); // a brand that the schema gives
    const first = await read('loom.mark_list', { tree, limit: 2 });
    const rest = await read('loom.mark_list', { tree, limit: 2, cursor: first.cursor });
    const { node: marked } = await read('loom.node_get', { node });
    const listed = [...first.marks, ...rest.marks].map((mark) => [mark.name, mark.seq]);
    expect(listed).toEqual(['a', 'b', 'c'].map((name) => [name, marked.seq]));
    const settings = { system_prompt: 'be brief', tools: [], level: 'minimal', model: 'm', thinking: null };
    const { sha256 } = writer.write('loom.settings_put', { settings });
    expect(await read('loom.settings_get', { sha256 })).toEqual({ settings, untrusted: false });
    const turn = writer.write('loom.turn_start', { id: writer.newId() as never, tree, node }); // a brand that the schema gives
    expect((await read('loom.turn_list', { tree })).turns).toEqual([turn]);
  });
});

test('a name is similar when it contains what was typed or differs by a few letters', () => {
  expect(editDistance('kitten', 'sitting')).toBe(3);
  expect(['refactr', 'fact', 'refactoring!', 'r', 'xyz'].map((typed) => isNear(typed, 'Refactor'))).toEqual([
    ...[true, true, false, true, false],
  ]);
});
