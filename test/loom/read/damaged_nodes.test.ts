import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { DAMAGED } from '../../../loom/store/damaged_row.js';
import { openReader, withReader } from '../../support/reader.js';
import { answer, step, user } from '../../support/trees.js';
import type { TestWriter } from '../../support/writer.js';

const planted = async (writer: TestWriter) => {
  const { tree, ids } = await writer.plant(user('alpha', step('beta', ['ls']), answer('gamma')));
  return { tree: TreeId.parse(tree), id: (name: string) => NodeId.parse(ids[name]) };
};

/** Changes a node as a failing disk does, and reads with what has not been read before. */
async function damage(writer: TestWriter, node: NodeId, sql: string) {
  writer.store.run(`UPDATE nodes SET ${sql} WHERE id = ?`, Buffer.from(node.replaceAll('-', ''), 'hex'));
  return openReader(writer.folder);
}

test.each([
  `blocks = replace(blocks, 'alpha', 'alpho')`,
  `blocks = 'no JSON'`,
  `created_at_ms = created_at_ms + 1`,
  `role = 'usez'`,
  `hash = zeroblob(32)`,
])('a node with %s is told as damaged wherever whole nodes are read', (sql) =>
  withReader(async (_, writer) => {
    const { tree, id } = await planted(writer);
    const reader = await damage(writer, id('alpha'), sql);
    const { node } = await reader.read('loom.node_get', { node: id('alpha') });
    expect(node).toMatchObject({
      id: id('alpha'),
      parent: tree,
      damaged: true,
      blocks: [{ type: 'text', text: DAMAGED }],
    });
    const { nodes } = await reader.read('loom.context_get_path', { node: id('gamma') });
    expect(nodes.map((one) => one.damaged === true).slice(0, 2)).toEqual([false, true]);
    const { events } = await reader.feed({ tree: null, since: 0, until: 100, limit: 100 });
    expect(events.filter(({ json }) => json.includes(DAMAGED)).length).toBeGreaterThan(0);
    await expect(reader.read('loom.tree_export', { tree })).rejects.toMatchObject({ kind: 'storage_failed' });
    const rescued = await reader.read('loom.tree_export', { tree, undamaged: true });
    expect(JSON.stringify(rescued)).not.toContain(id('alpha'));
    reader.close();
  }),
);

test('a damaged node is not quoted as a hit, and keeps no search from working', () =>
  withReader(async (_, writer) => {
    const { id } = await planted(writer);
    const reader = await damage(writer, id('gamma'), `blocks = replace(blocks, 'gamma', 'gammb')`);
    const { hits } = await reader.read('loom.search', { query: 'gammb' });
    expect(hits).toMatchObject([{ node: id('gamma'), snippet: DAMAGED, matches: [] }]);
    reader.close();
    const other = await damage(writer, id('gamma'), `blocks = 'no JSON'`);
    expect((await other.read('loom.search', { query: 'alpha' })).hits).toMatchObject([{ node: id('alpha') }]);
    other.close();
  }));

test('what a damaged call says of its handle and its folder is not believed', () =>
  withReader(async (_, writer) => {
    const { id } = await planted(writer);
    for (const sql of [`external = replace(external, '/project', '/projecT')`, `external = '{'`]) {
      const reader = await damage(writer, id('ls'), sql);
      expect(await reader.read('loom.context_get_place', { node: id('ls') })).toEqual({
        ...{ person_cwd: null, model_cwd: null, commands: [] },
      });
      expect((await reader.read('loom.context_get_handles', { node: id('ls') })).handles).toEqual([]);
      reader.close();
    }
  }));

test.each([`preview = 'alphb'`, `exit_code = 3`, `tool = 'rm'`, `listing_sum = 1`])(
  'in lists a node with %s is told as damaged; fsck finds it, too',
  (sql) =>
    withReader(async (_, writer) => {
      const { tree, id } = await planted(writer);
      const reader = await damage(writer, id('alpha'), sql);
      const { nodes } = await reader.read('loom.tree_get_skeleton', { tree });
      expect(nodes.find((one) => one.id === id('alpha'))?.preview).toBe(DAMAGED);
      expect(nodes.filter(({ preview }) => preview === DAMAGED)).toHaveLength(1);
      const { leaves } = await reader.read('loom.context_list_leaves', { tree });
      expect(leaves.map(({ differs }) => differs)).not.toContain('alphb');
      expect((await reader.read('loom.fsck', {})).problem_count).toBeGreaterThan(0);
      reader.close();
    }),
);

test('damaged settings are refused', () =>
  withReader(async (reader, writer) => {
    const settings = { system_prompt: 'be brief', tools: [], level: 'minimal', model: 'demo', thinking: 'off' };
    const { sha256 } = writer.write('loom.settings_put', { settings });
    expect(await reader.read('loom.settings_get', { sha256 })).toEqual({ settings, untrusted: false });
    writer.store.run("UPDATE settings SET body = replace(body, 'brief', 'brieg')");
    await expect(reader.read('loom.settings_get', { sha256 })).rejects.toMatchObject({ kind: 'storage_failed' });
  }));

test('a node is checked once: reading it again costs no second look', () =>
  withReader(async (reader, writer) => {
    const { id } = await planted(writer);
    const node = id('alpha');
    await reader.read('loom.node_get', { node });
    // What no program does while a hub runs shows that the second reading trusts the first.
    writer.store.run('UPDATE nodes SET created_at_ms = 7 WHERE id = ?', Buffer.from(node.replaceAll('-', ''), 'hex'));
    expect((await reader.read('loom.node_get', { node })).node).toMatchObject({ created_at_ms: 7 });
  }));
