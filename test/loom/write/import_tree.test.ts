import { describe, expect, test } from 'vitest';
import type { ParamsOf } from '../../../hub/protocol/methods/method_table.js';
import type { ExportRecord } from '../../../hub/protocol/methods/tree_methods.js';
import { type TestReader, withReader } from '../../support/reader.js';
import { refusal } from '../../support/refusal.js';
import { answer, command, step, summary, text, user } from '../../support/trees.js';
import { type TestWriter, withWriter } from '../../support/writer.js';

type Records = ParamsOf<'loom.tree_import'>['records'];

async function exported(reader: TestReader, tree: string): Promise<ExportRecord[]> {
  const records: ExportRecord[] = [];
  let cursor: string | null = null;
  do {
    const page: { records: ExportRecord[]; cursor: string | null } = await reader.read('loom.tree_export', {
      tree,
      cursor,
    });
    records.push(...page.records);
    cursor = page.cursor;
  } while (cursor !== null);
  return records;
}

/** A tree with everything that a tree can have, and its records. */
async function rich(reader: TestReader, writer: TestWriter) {
  const { sha256 } = writer.write('loom.settings_put', {
    settings: { system_prompt: 'be brief', tools: [], level: 'orchestrator', model: 'demo/echo', thinking: null },
  });
  const { tree, ids } = await writer.plant(
    user('a', step('look', ['ls', 'pwd'], answer('b', summary('c', user('d')))), answer('e', command('make'))),
  );
  const last = { tree, parent: ids.d ?? '', role: 'assistant' as const, blocks: text('f'), settings: sha256 };
  writer.write('loom.node_create_text', last);
  writer.write('loom.tree_update', { tree, name: 'rich' });
  writer.write('loom.mark_set', { tree, name: 'here', node: ids.b ?? '' });
  writer.write('loom.branch_archive', { tree, node: ids.e ?? '' });
  return { tree, ids, records: await exported(reader, tree) };
}

const fails = (writer: TestWriter, tree: string, records: Records) =>
  refusal(() => writer.write('loom.tree_import', { tree, records, done: true }));

describe('importing a tree', () => {
  test('gives back the same records in another home', () =>
    withReader(async (here, writer) => {
      const { tree, records } = await rich(here, writer);
      await withReader(async (there, other) => {
        other.write('loom.tree_create', { name: 'in the way' });
        const outcome = other.write('loom.tree_import', { tree, records, done: true });
        expect(outcome).toMatchObject({ added: 11, present: 0, missing_outputs: 0, tree: { name: 'rich' } });
        expect(await exported(there, tree)).toEqual(records);
        const { problems } = await there.read('loom.fsck', {});
        expect(problems).toEqual([]);
      });
    }));

  test('into the same home adds nothing', () =>
    withReader(async (reader, writer) => {
      const { tree, records } = await rich(reader, writer);
      const before = writer.store.all('SELECT * FROM nodes');
      const outcome = writer.write('loom.tree_import', { tree, records, done: true });
      expect(outcome).toMatchObject({ added: 0, present: 11 });
      expect(writer.store.all('SELECT * FROM nodes')).toEqual(before);
    }));

  test('adds what is new there, and keeps what is new here', () =>
    withReader(async (reader, writer) => {
      const { tree, ids, records } = await rich(reader, writer);
      await withWriter((other) => {
        other.write('loom.tree_import', {
          tree,
          records: records.filter((record) => !isNode(record, ids.d)),
          done: false,
        });
        const mine = { tree, parent: ids.c ?? '', role: 'user' as const, blocks: text('mine') };
        other.write('loom.tree_import', { tree, records: [], done: true });
        other.write('loom.node_create_text', mine);
        const outcome = other.write('loom.tree_import', { tree, records, done: true });
        expect(outcome).toMatchObject({ added: 2, present: 9, tree: { node_count: 12 } });
      });
    }));

  test('is hidden until its last call, and takes the next free name', () =>
    withReader(async (reader, writer) => {
      const { tree, records } = await rich(reader, writer);
      await withWriter((other) => {
        other.write('loom.tree_create', { name: 'rich' });
        other.write('loom.tree_import', { tree, records, done: false });
        expect(refusal(() => other.write('loom.tree_update', { tree, name: 'x' })).kind).toBe('not_found');
        expect(other.write('loom.tree_import', { tree, records: [], done: true }).tree?.name).toBe('rich (2)');
      });
    }));

  test('is removed after a day when it is unfinished', () =>
    withReader(async (reader, writer) => {
      const { tree, records } = await rich(reader, writer);
      await withWriter((other) => {
        other.write('loom.tree_import', { tree, records, done: false });
        other.store.run('UPDATE trees SET updated_at_ms = updated_at_ms - 90000000');
        other.restart();
        expect(other.store.get('SELECT count(*) AS n FROM nodes')).toEqual({ n: 0 });
      });
    }));
});

const isNode = (record: ExportRecord, id: string | undefined) =>
  record.kind === 'node' && (record.node.id === id || record.node.parent === id);

describe('an import is refused, and leaves nothing behind,', () => {
  const cases: [string, (records: ExportRecord[], ids: Record<string, string>) => ExportRecord[], RegExp][] = [
    ['when a text was changed', (all) => all.map((one) => changed(one)), /does not match its hash/],
    [
      'when a node comes before its parent',
      (all) => [...all.slice(0, 2), ...all.slice(2).reverse()],
      /before its parent|not here/,
    ],
    [
      'when a step is not whole',
      (all, ids) =>
        all.slice(
          0,
          all.findIndex((one) => isNode(one, ids.pwd)),
        ),
      /is not whole/,
    ],
    ['when it does not begin with the tree', (all) => all.slice(1), /do not begin with the tree/],
    ['when the tree has no root', (all) => all.slice(0, 1), /have no root/],
  ];
  test.each(cases)('%s', (_when, spoil, message) =>
    withReader(async (reader, writer) => {
      const { tree, ids, records } = await rich(reader, writer);
      const spoilt = spoil(records, ids).filter((one) => one.kind !== 'mark' && one.kind !== 'archived');
      await withWriter((other) => {
        expect(fails(other, tree, spoilt).message).toMatch(message);
        expect(other.store.get('SELECT count(*) AS n FROM trees')).toEqual({ n: 0 });
      });
    }),
  );

  test('when a node is here already with other contents', () =>
    withReader(async (reader, writer) => {
      const { tree, ids, records } = await rich(reader, writer);
      await withWriter((other) => {
        const mine = other.write('loom.tree_create', {}).id;
        const blocks = text('mine');
        other.write('loom.node_create_text', { id: ids.a, tree: mine, parent: mine, role: 'user', blocks });
        expect(fails(other, tree, records).kind).toBe('conflict');
      });
    }));

  test('when the tree is archived here', () =>
    withReader(async (reader, writer) => {
      const { tree, records } = await rich(reader, writer);
      writer.write('loom.tree_archive', { tree });
      expect(fails(writer, tree, records).kind).toBe('archived');
    }));
});

function changed(record: ExportRecord): ExportRecord {
  if (record.kind !== 'node' || record.node.role !== 'user') return record;
  return { ...record, node: { ...record.node, blocks: [{ type: 'text', text: 'changed' }] } };
}
