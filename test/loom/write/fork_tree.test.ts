import { expect, test } from 'vitest';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { refusal } from '../../support/refusal.js';
import { answer, text, user } from '../../support/trees.js';
import { type TestWriter, withWriter } from '../../support/writer.js';

interface StoredPath {
  roles: string[];
  blocks: string[];
  hashes: string[];
}

/** The only path of a tree, as it is stored. */
function pathOf(writer: TestWriter, tree: string): StoredPath {
  const rows = writer.store.all<{ role: string; blocks: string; hash: string }>(
    `SELECT n.role, n.blocks, lower(hex(n.hash)) AS hash FROM nodes n JOIN trees t ON t.tree = n.tree
     WHERE t.id = ? ORDER BY n.depth`,
    Buffer.from(tree.replaceAll('-', ''), 'hex'),
  );
  const column = (key: 'role' | 'blocks' | 'hash') => rows.map((row) => row[key]);
  return { roles: column('role'), blocks: column('blocks'), hashes: column('hash') };
}

test('a branch becomes a tree of its own: the path to it, with its marks, and nothing of other branches', () =>
  withWriter(async (writer) => {
    const { tree, ids } = await writer.plant(user('a', answer('b', user('c')), answer('d')));
    writer.write('loom.mark_set', { tree, name: 'here', node: ids.b as NodeId });
    writer.write('loom.mark_set', { tree, name: 'elsewhere', node: ids.d as NodeId });
    const { forked, ...rest } = writer.write('loom.tree_fork', { id: writer.newId(), tree, node: ids.c as NodeId });
    expect(rest).toMatchObject({ copied: 4, total: 4 });
    expect(forked?.tree).toMatchObject({
      ...{ title: 'a', node_count: 4, message_count: 3, branch_count: 1, owner: null },
      forked_from: { tree, node: ids.c },
    });
    const copy = pathOf(writer, forked?.tree.id ?? '');
    expect(copy.roles).toEqual(['root', 'user', 'assistant', 'user']);
    expect(copy.blocks.map((blocks) => JSON.parse(blocks)[0]?.text)).toEqual([undefined, 'a', 'b', 'c']);
    const marks = writer.store.all(
      'SELECT m.name, n.depth FROM marks m JOIN nodes n ON n.seq = m.node WHERE n.tree = 2',
    );
    expect(marks).toEqual([{ name: 'here', depth: 2 }]);
  }));

test('a call that is sent again returns the same tree, also after it has grown; with another node it is a conflict', () =>
  withWriter(async (writer) => {
    const { tree, ids } = await writer.plant(user('a', answer('b')));
    const params = { id: writer.newId(), tree, node: ids.b as NodeId };
    const { forked } = writer.write('loom.tree_fork', params);
    const copy = { tree: forked?.tree.id as TreeId, parent: forked?.node as NodeId };
    writer.write('loom.node_create_text', { ...copy, id: writer.newId() as NodeId, role: 'user', blocks: text('c') });
    const again = writer.write('loom.tree_fork', params);
    expect(again.forked).toMatchObject({ node: forked?.node, tree: { node_count: 4 } });
    expect(refusal(() => writer.write('loom.tree_fork', { ...params, node: ids.a as NodeId })).kind).toBe('conflict');
  }));

test('a long path is copied in pieces, also over a restart, and appears when all of it is there', () =>
  withWriter(async (writer) => {
    const { id: tree } = writer.write('loom.tree_create', {});
    let parent = tree as string as NodeId;
    const calls = Array.from({ length: 1_200 }, (): Parameters<TestWriter['writeTogether']>[0][number] => {
      const above = parent;
      parent = writer.newId() as NodeId;
      return ['loom.node_create_text', { id: parent, tree, parent: above, role: 'user', blocks: text('x') }];
    });
    writer.writeTogether(calls);
    const params = { id: writer.newId(), tree, node: parent };
    expect(writer.write('loom.tree_fork', params)).toMatchObject({ copied: 500, total: 1_201, forked: null });
    expect(refusal(() => writer.write('loom.tree_archive', { tree: params.id })).kind).toBe('not_found');
    writer.restart();
    expect(writer.write('loom.tree_fork', params)).toMatchObject({ copied: 1_000, forked: null });
    const { forked } = writer.write('loom.tree_fork', params);
    expect(forked?.tree).toMatchObject({ id: params.id, node_count: 1_201, branch_count: 1 });
  }));

test('a fork has hashes of its own, and a name that is taken is refused', () =>
  withWriter(async (writer) => {
    const { tree, ids } = await writer.plant(user('a', answer('b')));
    const { forked } = writer.write('loom.tree_fork', { id: writer.newId(), tree, node: ids.b as NodeId, name: 'two' });
    const [first, second] = [pathOf(writer, tree).hashes, pathOf(writer, forked?.tree.id ?? '').hashes];
    expect(new Set([...first, ...second]).size).toBe(6);
    const again = { id: writer.newId(), tree, node: ids.b as NodeId, name: 'two' };
    expect(refusal(() => writer.write('loom.tree_fork', again))).toMatchObject({
      message: 'there is a tree named "two" already',
    });
  }));
