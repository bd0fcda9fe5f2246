import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { DAMAGED } from '../../../loom/store/damaged_row.js';
import { openReader, withReader } from '../../support/reader.js';
import { answer, step, text, user } from '../../support/trees.js';
import type { TestWriter } from '../../support/writer.js';

const planted = async (writer: TestWriter) => {
  const { tree, ids } = await writer.plant(user('alpha', step('beta', ['ls'], answer('gamma'))));
  return { tree: TreeId.parse(tree), id: (name: string) => NodeId.parse(ids[name]) };
};

/** Changes rows as a failing disk does: no trigger sees it. */
function damage(writer: TestWriter, sql: string): void {
  writer.store.run('DROP TRIGGER trees_changed');
  expect(writer.store.run(sql)).toBeGreaterThan(0);
}

test.each([
  ['node', 'node = (SELECT seq FROM nodes WHERE id = ?)', 'beta'],
  ['tree', 'tree = tree + 1', null],
  ['time', 'archived_at_ms = archived_at_ms + 1099511627776', null],
  ['checksum', 'row_sum = row_sum + 1', null],
])('a branch is hidden by no row whose %s is not what was archived', (_, change, name) =>
  withReader(async (_folder, writer) => {
    const { tree, id } = await planted(writer);
    writer.write('loom.branch_archive', { tree, node: id('gamma') });
    const shown = (reader: ReturnType<typeof openReader>) =>
      reader.read('loom.tree_get_skeleton', { tree }).then(({ nodes }) => nodes.map((node) => node.id));
    const before = openReader(writer.folder);
    expect(await shown(before)).not.toContain(id('gamma'));
    before.close();
    writer.store.run('DROP TRIGGER archived_again');
    writer.store.run('PRAGMA foreign_keys = OFF');
    const blobs = name === null ? [] : [Buffer.from(id(name).replaceAll('-', ''), 'hex')];
    expect(writer.store.run(`UPDATE archived_rows SET ${change}`, ...blobs)).toBe(1);
    const reader = openReader(writer.folder);
    expect(await shown(reader)).toHaveLength(5);
    expect((await reader.read('loom.context_list_leaves', { tree })).leaves).toHaveLength(1);
    const { problems } = await reader.read('loom.fsck', {});
    expect(problems.map(({ problem }) => problem)).toContain(
      'what was archived of it is not what the disk has: that branch is shown',
    );
    reader.close();
  }),
);

test('a branch whose row was damaged is archived anew', () =>
  withReader(async (_, writer) => {
    const { tree, id } = await planted(writer);
    const archive = () => writer.write('loom.branch_archive', { tree, node: id('gamma') });
    archive();
    writer.store.run('UPDATE archived_rows SET row_sum = row_sum + 1');
    expect(archive().branch_count).toBe(1);
    const reader = openReader(writer.folder);
    const { nodes } = await reader.read('loom.tree_get_skeleton', { tree });
    expect(nodes.map((node) => node.id)).not.toContain(id('gamma'));
    expect((await reader.read('loom.fsck', {})).problems).toEqual([]);
    reader.close();
  }));

test('a conversation is hidden by no row that is not what was written', () =>
  withReader(async (_, writer) => {
    await planted(writer);
    damage(writer, 'UPDATE trees SET archived_at_ms = 0');
    const reader = openReader(writer.folder);
    expect((await reader.read('loom.tree_list', {})).trees.map(({ title }) => title)).toEqual([`${DAMAGED} alpha`]);
    reader.close();
  }));

const depthsOf = (nodes: { depth: number }[]): number[] => nodes.map(({ depth }) => depth);

test.each([0, 1, 7, 1_000_000])('a node whose depth became %i is shown with the depth at which it stands', (depth) =>
  withReader(async (_, writer) => {
    const { tree, id } = await planted(writer);
    const blob = Buffer.from(id('ls').replaceAll('-', ''), 'hex');
    writer.store.run('UPDATE nodes SET depth = ? WHERE id = ?', depth, blob);
    const reader = openReader(writer.folder);
    const { nodes } = await reader.read('loom.context_get_path', { node: id('gamma') });
    expect(depthsOf(nodes)).toEqual([0, 1, 2, 3, 4]);
    expect(nodes.some((node) => node.damaged)).toBe(false);
    expect((await reader.read('loom.node_get', { node: id('ls') })).node.depth).toBe(3);
    const many = await reader.read('loom.node_get_many', { nodes: [id('ls'), id('gamma')] });
    expect(depthsOf(many.nodes)).toEqual([3, 4]);
    const below = await reader.read('loom.node_read_children', { node: id('ls') });
    expect(depthsOf(below.nodes)).toEqual([4]);
    const { events } = await reader.feed({ tree: null, since: 0, until: 100, limit: 100 });
    const told = events.flatMap(({ json }) => JSON.parse(json).node ?? []);
    expect(depthsOf(told)).toEqual([0, 1, 2, 3, 4]);
    const report = await reader.read('loom.fsck', { tree });
    expect(report.problems.map(({ problem }) => problem)).toContain('its depth is not one more than its parent’s');
    reader.close();
  }),
);

test('what is appended below a node whose depth was changed gets the depth at which it stands, and so does a copy', () =>
  withReader(async (_, writer) => {
    const { tree, id } = await planted(writer);
    for (const name of ['gamma', 'alpha']) {
      const blob = Buffer.from(id(name).replaceAll('-', ''), 'hex');
      writer.store.run('UPDATE nodes SET depth = 77 WHERE id = ?', blob);
    }
    const at = { tree, parent: id('gamma'), role: 'user' as const };
    const appended = writer.write('loom.node_create_text', { ...at, blocks: text('delta') });
    expect(appended.node.depth).toBe(5);
    const { forked } = writer.write('loom.tree_fork', { tree, node: appended.node.id, name: null });
    const reader = openReader(writer.folder);
    const { nodes } = await reader.read('loom.context_get_path', { node: NodeId.parse(forked?.node) });
    expect(depthsOf(nodes)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(nodes.map(({ role }) => role)).toEqual(['root', 'user', 'assistant', 'tool', 'assistant', 'user']);
    reader.close();
  }));

test.each([
  `name = 'npte'`,
  `title = 'alpho'`,
  'node_count = 7',
  'message_count = -1',
  'updated_at_ms = 0',
  `project = '/projecT'`,
  'last_seq = last_seq + 1',
  'row_sum = 1',
])('a conversation whose row has %s keeps its names, and is told as damaged', (change) =>
  withReader(async (_, writer) => {
    const { tree } = await planted(writer);
    writer.write('loom.tree_update', { tree, name: 'note' });
    damage(writer, `UPDATE trees SET ${change}`);
    const reader = openReader(writer.folder);
    const { trees } = await reader.read('loom.tree_list', {});
    expect(trees.map(({ title }) => title)).toEqual([expect.stringMatching(/alph[ao]$/)]);
    expect(trees.map(({ name }) => name)).toEqual([expect.stringMatching(/n[op]te$/)]);
    expect(trees.filter(({ title, name }) => title.startsWith(DAMAGED) && name?.startsWith(DAMAGED))).toHaveLength(1);
    const { matches } = await reader.read('loom.tree_find', { ref: tree });
    expect(matches.map(({ title }) => title)).toEqual([expect.stringContaining(DAMAGED)]);
    expect((await reader.read('loom.tree_get', { tree })).title).toContain(DAMAGED);
    expect((await reader.read('loom.fsck', {})).problems.map(({ problem }) => problem)).toContain(
      'the tree’s row is not what was written',
    );
    reader.close();
  }),
);

test.each(['node = 1', 'set_at_ms = 7', `name = 'herf'`])('a mark with %s is told as damaged', (change) =>
  withReader(async (_, writer) => {
    const { tree, id } = await planted(writer);
    writer.write('loom.mark_set', { tree, name: 'here' as never, node: id('gamma') }); // a name that the schema takes
    damage(writer, `UPDATE marks SET ${change}`);
    const reader = openReader(writer.folder);
    const { marks } = await reader.read('loom.mark_list', { tree });
    expect(marks.map(({ name }) => name)).toEqual([expect.stringContaining(DAMAGED)]);
    const { problems } = await reader.read('loom.fsck', { tree });
    expect(problems.map(({ problem }) => problem)).toContainEqual(expect.stringMatching(/^mark her[ef] is not/));
    reader.close();
  }),
);

test('a damaged change is not told to watchers, and fsck names it', () =>
  withReader(async (reader, writer) => {
    const { tree } = await planted(writer);
    const kinds = async (): Promise<string[]> => {
      const { events } = await reader.feed({ tree, since: 0, until: 100, limit: 100 });
      return events.map(({ json }) => JSON.parse(json).kind).filter((kind) => kind !== 'node_created');
    };
    writer.write('loom.tree_update', { tree, name: 'note' });
    expect(await kinds()).toEqual(['tree_created', 'tree_renamed']);
    damage(writer, `UPDATE changes SET body = replace(body, 'note', 'npte')`);
    expect(await kinds()).toEqual(['tree_created']);
    const { problems } = await reader.read('loom.fsck', { tree });
    expect(problems).toMatchObject([{ problem: 'a change is not what was told', tree }]);
  }));

test('every change of a conversation leaves its row, and its marks, checked', () =>
  withReader(async (reader, writer) => {
    const { tree, id } = await planted(writer);
    const unsealed = () =>
      writer.store.all(`SELECT tree FROM trees WHERE row_sum IS NULL
      UNION ALL SELECT tree FROM marks WHERE row_sum IS NULL`);
    const { records } = await reader.read('loom.tree_export', { tree });
    const steps = [
      () => writer.write('loom.tree_update', { tree, name: 'one' }),
      () => writer.write('loom.mark_set', { tree, name: 'here' as never, node: id('gamma') }), // a name that the schema takes
      () => writer.write('loom.branch_archive', { tree, node: id('gamma') }),
      () => writer.write('loom.branch_restore', { tree, node: id('gamma') }),
      () => writer.write('loom.tree_fork', { tree, node: id('gamma'), name: null }),
      () => writer.write('loom.tree_archive', { tree }),
      () => writer.write('loom.tree_restore', { tree }),
      () => writer.write('loom.tree_import', { tree, records, done: true }),
    ];
    for (const change of steps) {
      change();
      expect(unsealed()).toEqual([]);
    }
    expect((await reader.read('loom.fsck', {})).problems).toEqual([]);
  }));

test('a change that forgets the checksum leaves the row unchecked, and not damaged', () =>
  withReader(async (reader, writer) => {
    const { tree } = await planted(writer);
    writer.store.run(`UPDATE trees SET title = 'other'`);
    expect((await reader.read('loom.tree_get', { tree })).title).toBe('other');
  }));
