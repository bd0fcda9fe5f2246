import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { ExportRecord } from '../../../hub/protocol/methods/tree_methods.js';
import { NodeId, Sha256, TreeId, TreeName } from '../../../hub/protocol/node.js';
import { outputPath } from '../../../loom/outputs/output_path.js';
import { type TestReader, withReader } from '../../support/reader.js';
import { answer, command, ran, step, text, user } from '../../support/trees.js';
import { type TestWriter, withWriter } from '../../support/writer.js';

const node = (id = '') => NodeId.parse(id);
const tree = (id: string) => TreeId.parse(id);

async function pagesOf({ read }: TestReader, id: string, more: object = {}): Promise<ExportRecord[][]> {
  const pages: ExportRecord[][] = [];
  let cursor: string | null = null;
  do {
    const page: { records: ExportRecord[]; cursor: string | null } = await read('loom.tree_export', {
      tree: tree(id),
      cursor,
      ...more,
    });
    pages.push(page.records);
    cursor = page.cursor;
  } while (cursor !== null);
  return pages;
}

const said = (records: ExportRecord[]) =>
  records.map((record) => (record.kind === 'node' ? `node ${record.node.id}` : record.kind));

/** A tree with everything that an export carries. */
async function furnish(writer: TestWriter): Promise<{ tree: string; ids: Record<string, string> }> {
  const settings = { system_prompt: 'be brief', tools: [], level: 'minimal', model: 'm', thinking: null };
  const { sha256 } = writer.write('loom.settings_put', { settings });
  writer.write('loom.settings_put', { settings: { ...settings, model: 'unused' } });
  const planted = await writer.plant(user('a', step('s', ['ls', 'pwd'], user('b')), command('make', user('c'))));
  const id = tree(planted.tree);
  writer.write('loom.tree_update', { tree: id, name: TreeName.parse('work') });
  const last = writer.write('loom.node_create_text', {
    ...{ tree: id, parent: node(planted.ids.b), role: 'assistant', blocks: text('d'), settings: sha256 },
  });
  const output = storeOutput(writer, 'stored');
  for (const commandLine of ['cat', 'cat again']) {
    const external = { ...ran(commandLine), output };
    writer.write('loom.node_create_external', { tree: id, parent: node(id), blocks: text('it'), external });
  }
  writer.write('loom.mark_set', { tree: id, name: 'here' as never, node: node(planted.ids.b) }); // a brand that the schema gives
  writer.write('loom.branch_archive', { tree: id, node: node(planted.ids.make) });
  return { tree: planted.tree, ids: { ...planted.ids, d: last.node.id } };
}

function storeOutput(writer: TestWriter, content: string) {
  const sha256 = Sha256.parse(createHash('sha256').update(content).digest('hex'));
  const path = outputPath(join(writer.folder, 'outputs'), sha256);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return { sha256, size_bytes: content.length, total_bytes: content.length };
}

test('an export holds the tree, the settings in use, the nodes, the pointers and each output once', async () => {
  await withReader(async (reader, writer) => {
    const { tree: id } = await furnish(writer);
    const records = (await pagesOf(reader, id)).flat();
    expect(records.map(({ kind }) => kind)).toEqual([
      ...['tree', 'settings', ...Array(11).fill('node'), 'mark', 'archived', 'output'],
    ]);
    expect(records[0]).toMatchObject({ kind: 'tree', tree: { id, name: 'work', project: null, owner: null } });
    expect(records.at(-1)).toMatchObject({ kind: 'output', size_bytes: 6 });
  });
});

test.each([1, 2, 3, 5, 8])('pages of %i records hold the same as one, and tear no step', async (limit) => {
  await withReader(async (reader, writer) => {
    const { tree: id, ids } = await furnish(writer);
    const pages = await pagesOf(reader, id, { limit });
    expect(pages.flat()).toEqual((await pagesOf(reader, id)).flat());
    const withStep = pages.filter((page) =>
      said(page).some((line) => [ids.s, ids.ls, ids.pwd].includes(line.slice(5))),
    );
    expect(withStep).toHaveLength(1);
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(Math.max(limit, 3));
  });
});

test('an import of an export gives back the same records', async () => {
  await withReader(async (reader, writer) => {
    const { tree: id } = await furnish(writer);
    const pages = await pagesOf(reader, id, { limit: 4 });
    await withReader(async (otherReader, other) => {
      storeOutput(other, 'stored');
      for (const records of pages) other.write('loom.tree_import', { tree: tree(id), records, done: false });
      other.write('loom.tree_import', { tree: tree(id), records: [], done: true });
      expect((await pagesOf(otherReader, id)).flat()).toEqual(pages.flat());
      expect(await otherReader.read('loom.fsck', {})).toMatchObject({ nodes: 11, problems: [] });
    });
  });
});

test('nodes added while an export runs are left out, with the pointers to them', async () => {
  await withReader(async (reader, writer) => {
    const { tree: id } = await furnish(writer);
    const whole = (await pagesOf(reader, id)).flat();
    const first = await reader.read('loom.tree_export', { tree: tree(id), limit: 3 });
    const late = writer.write('loom.node_create_text', {
      tree: tree(id),
      parent: node(id),
      role: 'user',
      blocks: text('late'),
    });
    writer.write('loom.mark_set', { tree: tree(id), name: 'late' as never, node: late.node.id }); // a brand that the schema gives
    const rest = await reader.read('loom.tree_export', { tree: tree(id), cursor: first.cursor });
    expect([...first.records, ...rest.records]).toEqual(whole);
  });
});

test('an undamaged export leaves out damaged nodes, their steps and all descendants', async () => {
  await withReader(async (reader, writer) => {
    const { tree: id, ids } = await furnish(writer);
    const before = (await pagesOf(reader, id)).flat();
    const blob = Buffer.from(ids.pwd?.replaceAll('-', '') ?? '', 'hex');
    writer.store.run(`UPDATE nodes SET blocks = '[{"text":"forged","type":"text"}]' WHERE id = ?`, blob);
    const gone = ['s', 'ls', 'pwd', 'b', 'd'].map((name) => `node ${ids[name]}`);
    const after = (await pagesOf(reader, id, { undamaged: true, limit: 3 })).flat();
    // Only d had settings, and the mark pointed at b.
    expect(said(after)).toEqual(said(before).filter((line) => ![...gone, 'settings', 'mark'].includes(line)));
    await withWriter(async (other) => {
      const { tree: taken } = other.write('loom.tree_import', { tree: tree(id), records: after, done: true });
      expect(taken?.node_count).toBe(6);
    });
  });
});

test('a long answer with many branches is exported whole', async () => {
  await withReader(async (reader, writer) => {
    const branches = Array.from({ length: 700 }, (_, index) => user(`branch ${index}`, answer(`answer ${index}`)));
    const { tree: id } = await writer.plant(...branches);
    const records = (await pagesOf(reader, id)).flat();
    expect(records.filter(({ kind }) => kind === 'node')).toHaveLength(1_401);
  });
});
